/** The user of a page, and the time. Without `as_of` it is now. */
export interface UserView {
  readonly user?: string;
  readonly as_of?: string;
}

export const shows = ["all", "delivered", "unread"] as const;
export type Show = (typeof shows)[number];

export interface InboxView {
  readonly user?: string;
  readonly show?: Show;
}

const most = 200;
const userOf = ({ user }: Record<string, unknown>) => {
  const given = typeof user === "string" ? user.slice(0, most) : "";
  return given.trim() === "" ? {} : { user: given };
};

/** Ignores an invalid time, so that a partly invalid link still opens. */
export function readUserView(search: Record<string, unknown>): UserView {
  const asOf = String(search.as_of ?? "");
  return { ...userOf(search), ...(Number.isNaN(Date.parse(asOf)) ? {} : { as_of: asOf }) };
}

export function readInboxView(search: Record<string, unknown>): InboxView {
  const show = shows.find(one => one === search.show);
  return { ...userOf(search), ...(show && show !== "all" ? { show } : {}) };
}

type Zone = "local" | "utc";

/** The value of a datetime-local field in the chosen time zone. Rounded up to the second, so that it is not before `at`. */
export function fieldOf(at: string, zone: Zone): string {
  const time = new Date(Math.ceil(Date.parse(at) / 1000) * 1000);
  const shown = zone === "utc" ? time : new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shown.toISOString().slice(0, 19);
}

/** The inverse of `fieldOf`; undefined if the field holds no valid time. */
export function timeOf(field: string, zone: Zone): string | undefined {
  const time = new Date(zone === "utc" ? `${field}Z` : field);
  return field === "" || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
