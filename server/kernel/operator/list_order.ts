import { Type } from "@sinclair/typebox";
import { firstPlace, highestUuid, type Place } from "../http/cursor.ts";
import { badRequest } from "../http/problem.ts";
import type { Filter } from "./filter.ts";
import { type RowKind, type StateMeaning, stateNamed, stateThat } from "./row_kind.ts";

/** How failed rows can be sorted. Each order has an index. */
const sorts = ["created", "failed", "attempts"] as const;
export type Sort = (typeof sorts)[number];

export const sortQuery = (kind: RowKind) => ({
  sort: Type.Optional(
    Type.Union([Type.Literal("created"), Type.Literal("failed"), Type.Literal("attempts")], {
      description: `of ${stateThat(kind, "failed").name} ones: the newest first (created, the default), the last failure first, or the most attempts first`,
    }),
  ),
});

/** How a list is ordered: by due time, by the end of the lease, by the last failure (of retrying or failed rows), by attempts, or newest first. */
export type Order = "due" | "retrying" | "leases" | "failed" | "attempts" | "created";

const orderIn: Readonly<Record<Exclude<StateMeaning, "failed">, Order>> = {
  waiting: "due",
  retrying: "retrying",
  held: "leases",
  done: "created",
};

/** Rows of an unfinished state are listed by what happens to them next. The rows of one user are listed newest first, whatever their state. */
export function orderOf(kind: RowKind, { status, user_id }: Filter, sort: Sort = "created"): Order {
  const meaning = status === null ? undefined : stateNamed(kind, status).meaning;
  const failed = stateThat(kind, "failed").name;
  if (sort !== "created" && (meaning !== "failed" || user_id !== null))
    throw badRequest(`only ${failed} rows that are not of one user can be sorted`, {
      errors: [{ pointer: "/sort", detail: `goes with status=${failed} and without user_id` }],
    });
  if (user_id !== null || meaning === undefined) return "created";
  return meaning === "failed" ? sort : orderIn[meaning];
}

/** The place that the first page of a list in this order starts after. */
export const startOf = (order: Order): Place =>
  order === "due" || order === "leases" ? firstPlace : { at: order === "attempts" ? "2147483647" : "infinity", id: highestUuid };
