import { type Answer, type Change, changes } from "../entitlement/changes/changes.ts";
import type { ChangeBatch } from "../entitlement/changes/write_changes.ts";
import type { ChangeRow } from "../entitlement/sql.gen.ts";
import { createMetrics } from "../kernel/telemetry/metrics.ts";

/** A running statement: the test decides when and how it ends. */
export interface Run {
  readonly keys: readonly string[];
  readonly pairs: readonly string[];
  succeed(): Promise<void>;
  fail(error: unknown): Promise<void>;
}

const settled = () => new Promise<void>(resolve => setImmediate(resolve));

// Requests that a test leaves waiting are not refused while another test runs.
const aDay = 86_400_000;

/** The batcher over a statement of the test. By default a batch runs as soon as the one before has ended. */
export function batcher({ lanes = 1, batch = 64, queue = 1000, wait = aDay, gather = 0 } = {}) {
  const runs: Run[] = [];
  let commits = 0;
  const run = (parameters: ChangeBatch) =>
    new Promise<ChangeRow[]>((resolve, reject) => {
      runs.push({
        keys: parameters.idem_key,
        pairs: parameters.user_id.map((user, i) => `${user}:${parameters.stock_keeping_unit[i]}`),
        succeed: () => {
          resolve(parameters.idem_key.map((key, i) => row(i + 1, key)));
          return settled();
        },
        fail: error => {
          reject(error);
          return settled();
        },
      });
    });
  const { submit } = changes({
    run,
    lanes,
    batch,
    queue,
    wait,
    gather,
    ttlSeconds: 60,
    committed: () => void commits++,
    replayed: () => {},
    metrics: createMetrics(),
  });
  return { submit, runs, commits: () => commits };
}

const row = (n: number, key: string): ChangeRow => ({
  n,
  replayed: false,
  same_request: true,
  response_code: 200,
  response_body: key,
  claimed_id: null,
  claimed_payload: null,
});
/** A request with a key, for a pair of the user. */
export const change = (key: string, user = key, clientId = "shop"): Change => ({
  clientId,
  route: "/grants",
  key,
  requestHash: "h",
  userId: user,
  sku: "item",
  target: "ACTIVE",
  source: "r",
  sourceId: "p",
  traceparent: "t",
  conflictBody: "c",
});
export const databaseError = (code: string, constraint_name = "") =>
  Object.assign(new Error(`database error ${code}`), { code, constraint_name });
/** The body of a response, or the refusal. */
export const outcome = (answer: Promise<Answer>) =>
  answer.then(
    one => one.response_body,
    error => (error as Error).message,
  );
