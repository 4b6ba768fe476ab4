import { type Log, someIds } from "../telemetry/log.ts";
import { repeatsOf, rowBurst } from "../telemetry/repeats.ts";
import { errorWord, statementSpan, type Tracer } from "../telemetry/spans.ts";
import { type Lease, settleWhileHeld } from "./lease.ts";

export interface FenceOptions<Identified> {
  /** Begins the log message: `<name>.fenced`. */
  readonly name: string;
  /** The log field of the ids. */
  readonly ids: string;
  readonly idOf: (row: Identified) => string;
  /** Counts the results that changed nothing. */
  readonly counter: { inc(count: number): void };
  readonly worker: string;
  readonly log: Log;
  readonly tracer?: Tracer | undefined;
}

/** What is settled, and under which lease. */
export interface Settlement {
  /** The statement, for the log. */
  readonly what: string;
  readonly lease: Lease;
  readonly stopping: AbortSignal;
  readonly ids: readonly string[];
  /** The traces of the rows. */
  readonly traces: () => readonly string[];
}

/**
 * Settles rows of a claim and returns those that changed. The statement is fenced by the claim's token: a row that did not change was reclaimed
 * before, and its result comes too late. Late results are counted and logged.
 */
export function fence<Identified>({ name, ids: field, idOf, counter, worker, log, tracer }: FenceOptions<Identified>) {
  return async function settle<Row extends Identified>(
    { what, lease, stopping, ids, traces }: Settlement,
    statement: () => Promise<readonly Row[]>,
  ): Promise<readonly Row[]> {
    const span = tracer && statementSpan(tracer, `${name}.${what}`, traces());
    const { rows, isSure } = await settleWhileHeld(lease, stopping, statement).catch(error => {
      span?.end({ error: errorWord(error) });
      throw error;
    });
    span?.end({ attributes: { "kenri.changed": rows.length } });
    if (rows.length === ids.length || !isSure) return rows;
    const changed = new Set(rows.map(idOf));
    const late = ids.filter(id => !changed.has(id));
    counter.inc(late.length);
    const fields = { worker, what, count: late.length, [field]: someIds(late) };
    repeatsOf(log).write("warn", fields, `${name}.fenced`, { key: what, burst: rowBurst });
    return rows;
  };
}
