import type { Action } from "../../api/answers.ts";
import { titleOfAction } from "../../parts/action_titles.ts";
import { number } from "../../parts/format.ts";
import { brokerSays } from "../../parts/order_words.ts";
import { roleWords } from "../../parts/paused_roles.ts";
import { rowsNamed } from "../../parts/row_kinds.ts";
import type { WatchedSystem } from "../../systems.ts";

/** The filters of the audit log, kept in the address. */
export interface AuditView {
  readonly subject?: string;
  readonly actor?: string;
  readonly action?: string;
  /** A bulk operation: its items are listed. */
  readonly operation?: string;
  readonly within?: Span;
}

export const spans = { "1h": "Last hour", "24h": "Last day", "168h": "Last week" } as const;
type Span = keyof typeof spans;

const text = (value: unknown) => (typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, 200) : undefined);

/** Reads the address. A subject excludes all other filters: every action on it is shown. */
export function readAuditView(search: Record<string, unknown>): AuditView {
  const subject = text(search.subject);
  if (subject) return { subject };
  const [actor, action, operation] = [text(search.actor), text(search.action), text(search.operation)];
  const within = text(search.within);
  return {
    ...(actor ? { actor } : {}),
    ...(action ? { action } : {}),
    ...(operation ? { operation } : {}),
    ...(within && within in spans ? { within: within as Span } : {}),
  };
}

/** Rounded to the minute, so that all pages of a list use the same time. */
export const sinceOf = ({ within }: AuditView, now: number): string | undefined =>
  within && new Date(Math.floor((now - Number.parseInt(within, 10) * 3_600_000) / 60_000) * 60_000).toISOString();

export interface AuditRow extends Action {
  readonly system: WatchedSystem;
}

const isStart = ({ action }: Action) => action === "operation.start";

/** Whether an action is about a role of a system, not about a row. */
export const isOfRole = ({ action }: Action): boolean => action.startsWith("role.");

/** The action in words. A bulk operation includes its number of rows, and a question to the broker its answer. */
export function describeAction(row: Action): string {
  const says = row.action === "order.ask" ? brokerSays(row.detail) : undefined;
  if (isOfRole(row)) return `${titleOfAction(row.action)}: ${roleWords(row.subject)}`;
  if (says) return `${titleOfAction(row.action)}: ${says}`;
  const { action, kind, total } = (row.detail ?? {}) as { action?: unknown; kind?: unknown; total?: unknown };
  if (!isStart(row) || typeof total !== "number") return titleOfAction(row.action);
  const verb = String(action);
  return `${verb.slice(0, 1).toUpperCase()}${verb.slice(1)} ${number(total)} ${rowsNamed(String(kind), total)}`;
}

/** The bulk operation that a row is about. */
export const operationIn = (row: Action): string | undefined => (row.action.startsWith("operation.") ? row.subject : undefined);
