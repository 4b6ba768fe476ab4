import type { Count } from "../api/answers.ts";

const whole = new Intl.NumberFormat("en");
export const number = (value: number): string => whole.format(value);
export const count = ({ count: value, more }: Count): string => (more ? `${whole.format(value)}+` : whole.format(value));

/** Sums bounded counts. */
export const sumOf = (counts: readonly Count[]): Count =>
  counts.reduce((sum, one) => ({ count: sum.count + one.count, more: sum.more || one.more }), { count: 0, more: false });

const units: [string, number][] = [
  ["d", 86_400_000],
  ["h", 3_600_000],
  ["m", 60_000],
  ["s", 1000],
];

/** `3 m 20 s`: at most two units, to fit a column. */
export function span(milliseconds: number): string {
  const ms = Math.max(0, Math.round(milliseconds));
  if (ms < 1000) return `${ms} ms`;
  if (ms < 10_000) return `${(ms / 1000).toFixed(1)} s`;
  const first = units.findIndex(([, size]) => ms >= size);
  const [unit, size] = units[first]!;
  const [next, nextSize] = units[first + 1] ?? ["", 0];
  const rest = nextSize > 0 ? Math.floor((ms % size) / nextSize) : 0;
  return `${Math.floor(ms / size)} ${unit}${rest > 0 && Math.floor(ms / size) < 10 ? ` ${rest} ${next}` : ""}`;
}

/** In one unit, so that a column of ages is easy to compare. */
export function ago(at: string, now = Date.now()): string {
  const ms = now - Date.parse(at);
  const [unit, size] = units.find(([, length]) => Math.abs(ms) >= length) ?? ["", 0];
  if (size === 0) return "now";
  const many = `${Math.floor(Math.abs(ms) / size)} ${unit}`;
  return ms < 0 ? `in ${many}` : `${many} ago`;
}

/** To the millisecond, as in logs. */
export function exact(at: string, zone: "local" | "utc"): string {
  const time = new Date(at);
  if (Number.isNaN(time.getTime())) return at;
  if (zone === "utc") return `${time.toISOString().replace("T", " ").replace("Z", "")} UTC`;
  const local = new Date(time.getTime() - time.getTimezoneOffset() * 60_000);
  return local.toISOString().replace("T", " ").replace("Z", "");
}

/** `14:05`, for charts, where the position shows the day. */
export function clock(at: number, zone: "local" | "utc"): string {
  const time = new Date(zone === "utc" ? at : at - new Date(at).getTimezoneOffset() * 60_000);
  return time.toISOString().slice(11, 16);
}

/** `01920c…8f3a`: both ends are enough to compare ids. */
export const shortId = (id: string): string => (id.length > 14 ? `${id.slice(0, 6)}…${id.slice(-4)}` : id);
