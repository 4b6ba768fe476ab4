import {
  isEligible as isEligibleIn,
  type RowState,
  type StateMeaning,
  shownState,
  stateThat,
} from "../../../server/kernel/operator/row_kind.ts";
import type { Count, Counts } from "../api/answers.ts";
import { isKindName, type Kind, kindOf } from "../systems.ts";
import { endOf, unknownOutcome } from "./order_words.ts";

export type Tone = "pending" | "flight" | "done" | "retry" | "failed" | "stale";

/** A state with its look. */
export interface State extends RowState {
  readonly tone: Tone;
  /** The order of the list in this state, if it is not newest first. */
  readonly order?: string;
}

const looks: Record<StateMeaning, { readonly tone: Tone; readonly order?: string }> = {
  waiting: { tone: "pending", order: "Ordered by next attempt" },
  retrying: { tone: "retry", order: "Ordered by last failure, newest first" },
  held: { tone: "flight", order: "Ordered by end of lease" },
  done: { tone: "done" },
  failed: { tone: "failed" },
};

/** A row of a list, of any kind. */
export interface Row {
  readonly id: string;
  readonly type: string;
  readonly user: string;
  readonly status: string;
  readonly stale: boolean;
  /** Whether nobody knows what became of its last attempt. */
  readonly unknown: boolean;
  /** Whether it can never be requeued. */
  readonly ended: boolean;
  readonly attempts: number;
  readonly error: string | null;
  readonly createdAt: string;
  /** When the last attempt failed. */
  readonly failedAt: string | null;
  readonly nextRetryAt: string | null;
  readonly doneAt: string | null;
  /** The values of the kind's own columns. */
  readonly facts: readonly (string | number | null)[];
}

/** Reads a row of an answer by the columns of its kind. */
export function rowOf({ id, columns, facts }: Kind, row: Readonly<Record<string, unknown>>): Row {
  const text = (column: string) => (row[column] ?? null) as string | null;
  return {
    id: String(row[id]),
    type: String(row[columns.type]),
    user: String(row[columns.user]),
    status: String(row[columns.status]),
    stale: columns.stale !== undefined && row[columns.stale] === true,
    unknown: columns.unknown !== undefined && row[columns.unknown] === true,
    ended: endOf(text("last_error_code")) !== undefined,
    attempts: Number(row[columns.attempts]),
    error: text(columns.error),
    createdAt: String(row[columns.created]),
    failedAt: text(columns.failed),
    nextRetryAt: text(columns.due),
    doneAt: text(columns.done),
    facts: facts.map(({ column }) => (row[column] ?? null) as string | number | null),
  };
}

/** The tabs of a list: its states, with retrying rows as a state of their own even if the table does not store it. */
export const tabsOf = ({ states }: Kind): readonly State[] => states.map(state => ({ ...state, ...looks[state.meaning] }));
/** The states of the table. */
export const storedStatesOf = (kind: Kind): readonly State[] => tabsOf(kind).filter(({ isDerived }) => !isDerived);
const tabNamed = (kind: Kind, status: string | undefined) => tabsOf(kind).find(({ name }) => name === status);

/** The state with this meaning. */
export const stateMeaning = (kind: Kind, meaning: StateMeaning): State => ({ ...stateThat(kind, meaning), ...looks[meaning] });
export const failedState = (kind: Kind): State => stateMeaning(kind, "failed");
export const retryingState = (kind: Kind): State => stateMeaning(kind, "retrying");

/** The count of a tab. */
export const countIn = (counts: Counts | undefined, { name, meaning }: Pick<State, "name" | "meaning">): Count | undefined =>
  meaning === "retrying" ? counts?.retrying : counts?.counts[name];
export const failedIn = (kind: Kind, counts: Counts | undefined): Count | undefined => countIn(counts, failedState(kind));

/** Sort orders of failed rows. The first is the default. */
export const sorts = { failed: "last failure", created: "newest", attempts: "most attempts" } as const;
export type Sort = keyof typeof sorts;
export const readSort = (value: unknown): Sort | undefined => (Object.keys(sorts) as Sort[]).find(sort => sort === value);

type Shown = { readonly status?: string | undefined; readonly user_id?: string | undefined };

/** The sort order, if it can be chosen. A list of one user is always newest first. */
export const sortOf = (kind: Kind, { status, user_id }: Shown, sort: Sort | undefined): Sort | undefined =>
  tabNamed(kind, status)?.meaning === "failed" && user_id === undefined ? (sort ?? "failed") : undefined;

/** The order of a list, if it is not newest first. A list of one user is always newest first. */
export const orderOf = (kind: Kind, { status, user_id }: Shown) => (user_id === undefined ? tabNamed(kind, status)?.order : undefined);

/** The bulk action of a list: pending rows are retried, failed rows are requeued. */
export function actionOn(kind: Kind, status: string | undefined): "requeue" | "retry" {
  const meaning = tabNamed(kind, status)?.meaning;
  return meaning === "waiting" || meaning === "retrying" ? "retry" : "requeue";
}

type RowStatus = Pick<Row, "status" | "attempts">;
const isKnown = ({ states }: Kind, status: string) => states.some(({ name }) => name === status);
/** Whether the action would change this row. */
export const isEligible = (kind: Kind, action: "requeue" | "retry", row: RowStatus & Partial<Pick<Row, "ended">>): boolean =>
  isKnown(kind, row.status) && isEligibleIn(kind, action, row) && !(action === "requeue" && row.ended);
/** Whether the row waits for an attempt, its first or a later one. */
export function isWaiting(kind: Kind, { status }: Pick<Row, "status">): boolean {
  const meaning = tabNamed(kind, status)?.meaning;
  return meaning === "waiting" || meaning === "retrying";
}
/** What the state of a row means; undefined if the state is unknown. */
export const meaningOf = (kind: Kind, row: RowStatus): StateMeaning | undefined =>
  isKnown(kind, row.status) ? shownState(kind, row).meaning : undefined;

/** The state as shown. An unknown state is shown as an error. */
export function stateOf(kind: Kind, row: RowStatus & Pick<Row, "stale"> & Partial<Pick<Row, "unknown">>): Pick<State, "tone" | "word"> {
  if (!isKnown(kind, row.status)) return { word: `Unknown state ${row.status}`, tone: "failed" };
  if (row.unknown) return unknownOutcome;
  const { meaning, word } = shownState(kind, row);
  return row.stale && meaning === "done" ? { word: "Stale", tone: "stale" } : { word, tone: looks[meaning].tone };
}

/** Whose rows these are: `user`, or `client` for rows of an API client. */
export const ownerOf = ({ columns }: Kind): string => columns.user.replace(/_id$/, "");
export const isOfUsers = (kind: Kind): boolean => ownerOf(kind) === "user";

/** `EntitlementGranted` → `Granted`. */
export const typeWord = ({ types }: Kind, type: string): string => types.find(({ name }) => name === type)?.word ?? type;

/** The name of the rows of a kind: `events`, or `event` for one. An unknown kind shows itself. */
export function rowsNamed(kind: string, many?: number): string {
  if (!isKindName(kind)) return `rows of the unknown kind ${kind}`;
  return many === 1 ? kindOf(kind).one : kindOf(kind).many;
}
