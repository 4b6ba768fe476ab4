/** Sends a number of requests at a time, each as soon as the last is answered, from a process of its own. When it is stopped it prints the statuses. */
import { setPriority } from "node:os";

export interface Attack {
  readonly inFlight: number;
  /** Whether it waits for Retry-After after a refusal. */
  readonly respectsRetryAfter?: boolean;
  /** Sent in turns; `{n}` stands for the number of the request. */
  readonly requests: readonly {
    readonly url: string;
    readonly method?: string;
    readonly headers: Record<string, string>;
    readonly body?: string;
  }[];
}

export interface RunningAttack {
  /** Its first requests have been sent. */
  readonly underWay: Promise<void>;
  /** Stops it. Returns the number of responses by status. */
  stop(): Promise<Record<string, number>>;
}

// Thousands of connections take a while to open; then their first requests are read.
const [opening, settling] = [3000, 500];
const ready = "under way";

export function startAttack(attack: Attack): RunningAttack {
  const child = Bun.spawn([process.execPath, import.meta.path, JSON.stringify(attack)], {
    stdout: "pipe",
    stderr: "inherit",
    // By itself Bun sends 256 requests at a time.
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "20000" },
  });
  const lines: string[] = [];
  const underWay = Promise.withResolvers<void>();
  const reading = (async () => {
    for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) {
      lines.push(...chunk.split("\n").filter(Boolean));
      if (lines.includes(ready)) underWay.resolve();
    }
    underWay.resolve();
  })();
  return {
    underWay: underWay.promise,
    async stop() {
      child.kill("SIGTERM");
      await Promise.all([reading, child.exited]);
      return JSON.parse(lines.find(line => line.startsWith("{")) ?? "{}");
    },
  };
}

async function run({ inFlight, respectsRetryAfter = false, requests }: Attack): Promise<void> {
  // The cost of the attacker's own process is not measured: it has a low priority.
  setPriority(19);
  const statuses: Record<string, number> = {};
  process.on("SIGTERM", () => {
    console.log(JSON.stringify(statuses));
    process.exit(0);
  });
  let n = 0;
  const lane = async (_: unknown, index: number) => {
    await Bun.sleep((opening * index) / inFlight);
    if (index === inFlight - 1) setTimeout(() => console.log(ready), settling);
    for (;;) {
      const number = String(n++);
      const {
        url,
        method = "GET",
        headers,
        body,
      } = JSON.parse(
        JSON.stringify(requests[Number(number) % requests.length]).replaceAll("{n}", `${process.pid}-${number}`),
      ) as Attack["requests"][number];
      const response = await fetch(url, { method, headers, ...(body === undefined ? {} : { body }) }).catch(() => undefined);
      await response?.arrayBuffer().catch(() => {});
      const status = String(response?.status ?? "no answer");
      statuses[status] = (statuses[status] ?? 0) + 1;
      if (respectsRetryAfter) await Bun.sleep(Number(response?.headers.get("retry-after") ?? 0) * 1000);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
}

if (import.meta.main) await run(JSON.parse(process.argv[2]!) as Attack);
