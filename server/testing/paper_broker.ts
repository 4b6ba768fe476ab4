import { rmSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "../../stack/checkout.ts";
import type { BookRow, Totals } from "../../stack/paper_broker/book.ts";
import type { Faults } from "../../stack/paper_broker/faults.ts";
import { scratchFolder } from "../../stack/scratch.ts";
import { until } from "../../stack/wait.ts";
import { freePort } from "./gateway.ts";

export type PaperRow = Omit<BookRow, "number" | "reason_code" | "message">;
export type PaperSummary = Totals & { readonly at_once: number; readonly most_at_once: number };

/** A paper broker of a test, with a book of its own. It keeps its address and its book when it is killed and started again; its faults end. */
export interface TestPaperBroker {
  readonly url: string;
  readonly pid: number | undefined;
  /** The whole book, oldest first. */
  book(): Promise<PaperRow[]>;
  summary(): Promise<PaperSummary>;
  /** Replaces all faults; none by default. */
  setFaults(faults?: Faults): Promise<void>;
  /** kill -9; it stays down until `start()`. */
  kill(): Promise<void>;
  /** SIGSTOP: connections stay open, and nothing is answered until `resume()`. */
  pause(): void;
  resume(): void;
  start(): Promise<void>;
  /** Stops it and deletes its book. Returns its exit code, if it was running. */
  stop(): Promise<number | undefined>;
}

/** With a token, the orders of this broker need it. */
export async function testPaperBroker(token?: string): Promise<TestPaperBroker> {
  const folder = scratchFolder();
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const command = [process.execPath, join(checkout, "stack/paper_broker/main.ts"), "--port", String(port), "--data", folder];
  let child: Bun.Subprocess<"ignore", "ignore", "pipe"> | undefined;

  async function down(signal: NodeJS.Signals): Promise<number | undefined> {
    const dying = child;
    child = undefined;
    dying?.kill("SIGCONT");
    dying?.kill(signal);
    return dying?.exited;
  }
  async function get<Value>(path: string): Promise<Value> {
    const answer = await fetch(`${url}${path}`);
    if (answer.status !== 200) throw new Error(`paper broker: GET ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as Value;
  }

  const broker: TestPaperBroker = {
    url,
    get pid() {
      return child?.pid;
    },
    async book() {
      const all: PaperRow[] = [];
      for (let after: number | undefined = 0; after !== undefined; ) {
        const page: { rows: PaperRow[]; next?: number } = await get(`/book?after=${after}&limit=1000`);
        all.push(...page.rows);
        after = page.next;
      }
      return all;
    },
    summary: () => get("/book/summary"),
    async setFaults(faults = {}) {
      const answer = await fetch(`${url}/faults`, { method: "PUT", body: JSON.stringify(faults) });
      if (answer.status !== 200) throw new Error(`paper broker: ${await answer.text()}`);
    },
    kill: async () => void (await down("SIGKILL")),
    pause: () => void child?.kill("SIGSTOP"),
    resume: () => void child?.kill("SIGCONT"),
    async start() {
      if (child !== undefined) return;
      const env = { ...process.env, BROKER_TOKEN: token };
      const started = Bun.spawn(command, { env, stdin: "ignore", stdout: "ignore", stderr: "pipe" });
      child = started;
      await until("the paper broker listens", 20_000, async () => {
        if (started.exitCode !== null) throw new Error(`the paper broker ended: ${await new Response(started.stderr).text()}`);
        return fetch(`${url}/faults`).then(
          ({ ok }) => ok,
          () => false,
        );
      });
    },
    async stop() {
      const code = await down("SIGTERM");
      rmSync(folder, { recursive: true, force: true });
      return code;
    },
  };
  await broker.start();
  return broker;
}
