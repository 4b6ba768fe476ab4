import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";

export function isFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen({ port, host: "127.0.0.1", exclusive: true }, () => server.close(() => resolve(true)));
  });
}

/**
 * The preferred port if it is free, then the port of the last start, then a random one.
 * Random ports are below the range of outgoing connections, so that a server that is down for a while gets its port again.
 */
export async function choosePort(dir: string, name: string, preferred?: number): Promise<number> {
  const file = join(dir, "ports.json");
  const saved = read(file);
  const random = () => 20_000 + Math.floor(Math.random() * 10_000);
  const candidates = [preferred, saved[name], ...Array.from({ length: 50 }, random)];
  for (const port of candidates) {
    if (port === undefined || !(await isFree(port))) continue;
    const { [name]: _, ...others } = read(file);
    if (Object.values(others).includes(port)) continue; // of a server that starts at the same time, or is down for a while
    mkdirSync(dir, { recursive: true });
    writeFileSync(`${file}.new`, `${JSON.stringify({ ...others, [name]: port }, null, 2)}\n`);
    renameSync(`${file}.new`, file);
    return port;
  }
  throw new Error(`no free port on 127.0.0.1 for ${name}`);
}

function read(file: string): Record<string, number> {
  try {
    return JSON.parse(readFileSync(file, "utf8")) as Record<string, number>;
  } catch {
    return {};
  }
}
