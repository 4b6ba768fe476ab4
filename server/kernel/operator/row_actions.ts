import type { RowKind } from "./row_kind.ts";

/** Who does something to one row, and why. */
export interface ActionRequest {
  readonly id: string;
  readonly actor: string;
  readonly reason: string;
}

/** The statements that change one row, each with its audit. */
export interface ChangeSql<Found extends { readonly status: string }> {
  readonly rows: {
    find(parameters: { id: string }): Promise<Found[]>;
    /** Returns the row's state, attempts and due time, by the columns of its kind. */
    retry_now(parameters: ActionRequest): Promise<{ readonly status: string }[]>;
    /** Only if the kind offers it. */
    discard?(parameters: ActionRequest): Promise<unknown[]>;
  };
  readonly operator_actions: { latest(parameters: { subject: string; action: string }): Promise<unknown[]> };
}

export type Requeued =
  | { readonly outcome: "requeued" /** What the answer says besides the id and the state. */; readonly answer?: object }
  /** A failed row that is never requeued. */
  | { readonly outcome: "refused"; readonly why: string }
  | { readonly outcome: "not_failed"; readonly status: string }
  | { readonly outcome: "unknown" };

export type Retried =
  | { readonly outcome: "retried"; readonly row: { readonly status: string } }
  | { readonly outcome: "not_waiting"; readonly status: string }
  | { readonly outcome: "unknown" };

export type Discarded =
  | { readonly outcome: "discarded" }
  | { readonly outcome: "not_failed"; readonly status: string }
  | { readonly outcome: "unknown" };

/** Makes a waiting row due at once, audited. Its attempts go on counting. */
export async function retryRow<Found extends { readonly status: string }>(
  { rows }: ChangeSql<Found>,
  request: ActionRequest,
): Promise<Retried> {
  const [retried] = await rows.retry_now(request);
  if (retried) return { outcome: "retried", row: retried };
  const [row] = await rows.find({ id: request.id });
  return row ? { outcome: "not_waiting", status: row.status } : { outcome: "unknown" };
}

/** Deletes a failed row; the audit keeps what it was. A second request for the same row gets the same answer. */
export async function discardRow<Found extends { readonly status: string }>(
  { rows, operator_actions }: ChangeSql<Found>,
  { audited, many }: RowKind,
  request: ActionRequest,
): Promise<Discarded> {
  if (!rows.discard) throw new Error(`${many} have no statement to discard them`);
  const [gone] = await rows.discard(request);
  if (gone) return { outcome: "discarded" };
  const [row] = await rows.find({ id: request.id });
  if (row) return { outcome: "not_failed", status: row.status };
  const [before] = await operator_actions.latest({ subject: request.id.toLowerCase(), action: `${audited}.discard` });
  return { outcome: before ? "discarded" : "unknown" };
}
