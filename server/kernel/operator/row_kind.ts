/**
 * A queue table as operators see it. Lists, counts, groups, bulk actions and the console's pages follow from this declaration. It is plain data:
 * the console imports it too, so this file and the declarations import nothing at run time.
 */
export interface RowKind {
  /** The system that has the table. */
  readonly system: string;
  /** In paths (`/ops/<name>`) and as the kind of an operation. */
  readonly name: string;
  /** The prefix of its actions in the audit (`<audited>.requeue`). */
  readonly audited: string;
  /** The column that identifies a row, a UUID of version 7. */
  readonly id: string;
  /** The member that holds the rows of a page. */
  readonly rows: string;
  readonly title: string;
  readonly about: string;
  readonly one: string;
  readonly many: string;
  /** In the order in which they are shown. */
  readonly states: readonly RowState[];
  /** Parts of a state that are counted but cannot be listed. */
  readonly subsets?: readonly RowSubset[];
  /** The types to filter by. */
  readonly types: readonly RowType[];
  readonly columns: RowColumns;
  /** Further columns of a list. */
  readonly facts: readonly RowFact[];
  /** The role that each action takes. An action that is not here is not offered. */
  readonly actions: { readonly [name in RowAction]?: RowRole };
  /** Which failed rows are never requeued, if any; continues "except". */
  readonly neverRequeued?: string;
}

/**
 * What a state means: the row waits for an attempt, failed before and waits for its next attempt, is held under a lease, is done, or failed for good.
 * Every meaning but `done` must have a state.
 */
export type StateMeaning = "waiting" | "retrying" | "held" | "done" | "failed";

export interface RowState {
  readonly name: string;
  readonly word: string;
  readonly meaning: StateMeaning;
  /**
   * Of the state that means `retrying`: the table does not store it. Its rows are those in the state that means `waiting` with a failed attempt. The
   * filter of the database (`matches_filter`) has the names of both: RETRYING and PENDING.
   */
  readonly isDerived?: boolean;
}

export interface RowSubset {
  readonly name: string;
  readonly word: string;
  /** The name of the state it is a part of. */
  readonly of: string;
  /** Which rows these are; continues the name. */
  readonly about: string;
}

export interface RowType {
  readonly name: string;
  readonly word: string;
}

/** Which member of a listed row holds what. */
export interface RowColumns {
  readonly type: string;
  readonly user: string;
  readonly status: string;
  readonly attempts: string;
  readonly error: string;
  readonly created: string;
  /** When the last attempt failed. */
  readonly failed: string;
  /** When the next attempt is due. */
  readonly due: string;
  readonly done: string;
  /** True for a row that a newer one had overtaken. */
  readonly stale?: string;
  /** True for a row whose last attempt has an unknown outcome. */
  readonly unknown?: string;
}

export interface RowFact {
  readonly column: string;
  readonly title: string;
  readonly isNumber?: boolean;
  /** Left out of the lists of failed rows, where the error needs the room. */
  readonly isMinor?: boolean;
}

/** `requeue`: a failed row starts again. `retry`: a retrying one is tried at once. `discard`: a failed one is deleted. */
export type RowAction = "requeue" | "retry" | "discard";
export type RowRole = "OPERATOR" | "ADMIN";
/** What an operation does to its rows: one of these, or `resend`: rows that are done are delivered again. */
export type OperationAction = RowAction | "resend";

/** The id of one of its rows. */
export function idOf({ name, id }: RowKind, row: object): string {
  const value: unknown = Reflect.get(row, id);
  if (typeof value !== "string") throw new Error(`a row of ${name} has no ${id}`);
  return value;
}

/** Unknown kinds are an error: a wrong default would act on the rows of another table. */
export function kindNamed<Kind extends RowKind>(kinds: readonly Kind[], name: string): Kind {
  const kind = kinds.find(one => one.name === name);
  if (!kind) throw new Error(`there is no row kind ${name}; there are ${kinds.map(one => one.name).join(", ")}`);
  return kind;
}

export function stateNamed({ name: kind, states }: RowKind, name: string): RowState {
  const state = states.find(one => one.name === name);
  if (!state) throw new Error(`rows of ${kind} have no state ${name}; they have ${states.map(one => one.name).join(", ")}`);
  return state;
}

/** The first state with this meaning. */
export function stateThat({ name: kind, states }: RowKind, meaning: StateMeaning): RowState {
  const state = states.find(one => one.meaning === meaning);
  if (!state) throw new Error(`rows of ${kind} have no state that means ${meaning}`);
  return state;
}

/** The state that is not stored, if the kind has one. */
export const derivedState = ({ states }: RowKind): RowState | undefined => states.find(one => one.isDerived);
/** The names of the states in the table, without the derived one. */
export const storedStates = ({ states }: RowKind): string[] => states.filter(one => !one.isDerived).map(one => one.name);
/** The names to filter by: those in the table, then the derived one. */
export const listedStates = (kind: RowKind): string[] => [
  ...storedStates(kind),
  ...kind.states.filter(one => one.isDerived).map(one => one.name),
];
export const typeNames = ({ types }: RowKind): string[] => types.map(one => one.name);
export const actionNames = ({ actions }: RowKind): RowAction[] => rowActions.filter(action => action in actions);
const rowActions: readonly RowAction[] = ["requeue", "discard", "retry"];

/** The state of the rows that an action changes. */
export const eligibleState = (kind: RowKind, action: RowAction): RowState => stateThat(kind, action === "retry" ? "retrying" : "failed");

/** Says which rows are retrying, for descriptions. */
export function aboutRetrying(kind: RowKind): string {
  const those = derivedState(kind) ? `those ${stateThat(kind, "waiting").name}` : "those";
  return `${stateThat(kind, "retrying").name} are ${those} that failed before and wait for their next attempt`;
}

/** The state as people see it: if the table does not store `retrying`, a waiting row that failed before is retrying. */
export function shownState(kind: RowKind, { status, attempts }: { readonly status: string; readonly attempts: number }): RowState {
  const state = stateNamed(kind, status);
  return state.meaning === "waiting" && attempts > 0 ? (derivedState(kind) ?? state) : state;
}

/** Whether an action would change this row. */
export const isEligible = (kind: RowKind, action: RowAction, row: { readonly status: string; readonly attempts: number }): boolean =>
  shownState(kind, row).name === eligibleState(kind, action).name;
