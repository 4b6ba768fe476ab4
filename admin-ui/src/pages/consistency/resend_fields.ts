/** What a resend selects, as the API takes it. */
export interface Selection {
  readonly since: string;
  readonly until?: string;
  readonly user_id?: string;
  readonly only_missing: boolean;
}

/** The form: times are local, in whole seconds. */
export interface Fields {
  readonly since: string;
  readonly until: string;
  readonly user_id: string;
  readonly only_missing: boolean;
}

/** A time as the value of a `datetime-local` field, rounded down to the second. */
export function fieldOf(at: string | null): string {
  if (at === null) return "";
  const local = new Date(new Date(at).getTime() - new Date(at).getTimezoneOffset() * 60_000);
  return local.toISOString().slice(0, 19);
}

/** What the form suggests: everything that is missing since the earliest. */
export const fieldsOf = (since: string | null): Fields => ({ since: fieldOf(since), until: "", user_id: "", only_missing: true });

export const selectionOf = ({ since, until, user_id, only_missing }: Fields): Selection => ({
  since: new Date(since).toISOString(),
  ...(until === "" ? {} : { until: new Date(until).toISOString() }),
  ...(user_id.trim() === "" ? {} : { user_id: user_id.trim() }),
  only_missing,
});
