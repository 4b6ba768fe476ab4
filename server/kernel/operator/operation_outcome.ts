/** What became of a row that an operation requeued or retried, by its present state. GONE: it was discarded or cleaned up since. */
export const outcomes = ["DELIVERED", "FAILED_AGAIN", "RETRYING", "ON_THE_WAY", "GONE"] as const;
type OutcomeName = (typeof outcomes)[number];

export interface OutcomeRow {
  readonly operation_id: string;
  readonly outcome: string;
  readonly count: number;
}

export type Outcome = { readonly [name in Lowercase<OutcomeName>]: number } & {
  /** There are more rows than were examined. */
  readonly more: boolean;
};

interface Operated {
  readonly operation_id: string;
  readonly action: string;
  readonly done: number;
}

// An answer examines at most this many rows, of all its operations together.
const scan = 10_000;

const hasOutcome = ({ action }: Operated) => action !== "discard";
/** Before its first row is done, an operation has no outcomes to read. */
const isAsked = (operation: Operated) => hasOutcome(operation) && operation.done > 0;

/** How many rows of each operation are examined: all of a small one, and an equal share of the large ones. */
export function shares(operations: readonly Operated[], budget = scan): { operation_id: string[]; scan: number[] } {
  const asked = operations.filter(isAsked).toSorted((one, other) => one.done - other.done);
  let left = budget;
  const given = asked.map(({ done }, index) => {
    const share = Math.min(done, Math.floor(left / (asked.length - index)));
    left -= share;
    return share;
  });
  return { operation_id: asked.map(({ operation_id }) => operation_id), scan: given };
}

type Ask = (parameters: { operation_id: readonly string[]; scan: readonly number[] }) => Promise<OutcomeRow[]>;

/** Operations with what became of their rows. A discarded row has no outcome. */
export async function withOutcomes<Row extends Operated>(operations: readonly Row[], ask: Ask) {
  const asked = shares(operations);
  const rows = asked.operation_id.length > 0 ? await ask(asked) : [];
  const found = Map.groupBy(rows, ({ operation_id }) => operation_id);
  return operations.map(operation => {
    if (!hasOutcome(operation)) return { ...operation, outcome: null };
    const counted = new Map((found.get(operation.operation_id) ?? []).map(({ outcome, count }) => [outcome, count]));
    const counts = Object.fromEntries(outcomes.map(name => [name.toLowerCase(), counted.get(name) ?? 0]));
    const looked = [...counted.values()].reduce((sum, count) => sum + count, 0);
    return { ...operation, outcome: { ...counts, more: looked < operation.done } as Outcome };
  });
}
