/** Whom a page is about, and as of when; nothing set means nobody, and now. */
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

/** A time that is none is left out: a shared link that is half wrong still opens. */
export function readUserView(search: Record<string, unknown>): UserView {
  const asOf = String(search.as_of ?? "");
  return { ...userOf(search), ...(Number.isNaN(Date.parse(asOf)) ? {} : { as_of: asOf }) };
}

export function readInboxView(search: Record<string, unknown>): InboxView {
  const show = shows.find(one => one === search.show);
  return { ...userOf(search), ...(show && show !== "all" ? { show } : {}) };
}

type Zone = "local" | "utc";

/** A time as a date-and-time field shows it, in the zone that the person chose; to the second, rounded up so that it is not before the time. */
export function fieldOf(at: string, zone: Zone): string {
  const time = new Date(Math.ceil(Date.parse(at) / 1000) * 1000);
  const shown = zone === "utc" ? time : new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return shown.toISOString().slice(0, 19);
}

/** And back; undefined if the field holds none. */
export function timeOf(field: string, zone: Zone): string | undefined {
  const time = new Date(zone === "utc" ? `${field}Z` : field);
  return field === "" || Number.isNaN(time.getTime()) ? undefined : time.toISOString();
}
