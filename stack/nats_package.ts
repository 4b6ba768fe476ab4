import { chmodSync, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { unpackPackage } from "./distribution_package.ts";

/** The distribution's nats-server: one static file, so nothing else of the package is kept. */
export async function fetchNatsPackage(target: string, say: (line: string) => void): Promise<void> {
  const root = `${target}.package-${process.pid}`;
  try {
    await unpackPackage({ name: "nats-server", title: "NATS", target: root, say });
    const binary = ["usr/sbin/nats-server", "usr/bin/nats-server"].map(path => join(root, path)).find(path => existsSync(path));
    if (binary === undefined) throw new Error("the distribution's package contains no nats-server");
    chmodSync(binary, 0o755);
    renameSync(binary, target); // atomic: of two parallel starts, each moves a whole file
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
