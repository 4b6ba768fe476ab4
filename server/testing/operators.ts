import { until } from "../../stack/wait.ts";
import type { Failing } from "./failed.ts";
import type { TestKenri } from "./kenri.ts";
import type { TestMint } from "./tokens.ts";

export interface Preview {
  readonly count: number;
  readonly eligible: number;
  readonly ineligible: Record<string, number>;
  readonly set_hash: string;
  readonly sample: readonly string[];
}

export interface OperationView {
  readonly operation_id: string;
  readonly status: string;
  readonly actor: string;
  readonly total: number;
  readonly done: number;
  readonly skipped: number;
  readonly failed: number;
  readonly finished_at: string | null;
  readonly outcome: Record<"delivered" | "failed_again" | "retrying" | "on_the_way" | "gone", number> | null;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** People with a role who use the operator API of a system, with tokens like the gateway's. */
export function operators(kenri: TestKenri, mint: TestMint, { system, kind }: Pick<Failing, "system" | "kind">) {
  async function ask(role: string, method: string, path: string, body?: unknown): Promise<Answer> {
    const authorization = role.startsWith("kenri_") ? `Bearer ${role}` : `Bearer ${await mint.token(system, role.toLowerCase(), [role])}`;
    const text = typeof body === "string" ? body : JSON.stringify(body);
    const headers = { authorization, ...(text === undefined ? {} : { "content-type": "application/json" }) };
    const response = await kenri.call(system, path, { method, headers, ...(text === undefined ? {} : { body: text }) });
    return { status: response.status, headers: response.headers, text: await response.text() };
  }
  const post = (role: string, path: string, body: unknown) => ask(role, "POST", path, body);
  const parsed = <T>({ status, text }: Answer, wanted: number): T => {
    if (status !== wanted) throw new Error(`${status} ${text}`);
    return JSON.parse(text);
  };

  async function preview(filter: unknown, action = "requeue"): Promise<Preview> {
    return parsed(await post("OPERATOR", `/ops/${kind}/bulk/preview`, { action, filter }), 200);
  }
  /** Starts the previewed operation; returns any answer. */
  const start = (role: string, filter: unknown, { set_hash, eligible }: Preview, action = "requeue") =>
    post(role, `/ops/${kind}/bulk`, { action, filter, set_hash, expected: eligible, reason: "the cause is gone" });
  const operation = async (id: string): Promise<OperationView> => parsed(await ask("VIEWER", "GET", `/ops/operations/${id}`), 200);

  return {
    ask,
    post,
    preview,
    start,
    operation,
    async started(role: string, filter: unknown, action = "requeue"): Promise<OperationView> {
      return parsed(await start(role, filter, await preview(filter, action), action), 202);
    },
    /** Waits until an operation meets the condition. */
    async reached(id: string, isThere: (operation: OperationView) => boolean, within = 30_000): Promise<OperationView> {
      let seen = await operation(id);
      await until(`operation ${id} gets there`, within, async () => {
        seen = await operation(id);
        return isThere(seen);
      });
      return seen;
    },
  };
}
