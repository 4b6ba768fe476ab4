import { Type } from "@sinclair/typebox";
import { firstPlace, highestUuid, type Place } from "../http/cursor.ts";
import { badRequest } from "../http/problem.ts";
import type { Filter } from "./filter.ts";

/** What FAILED rows can be sorted by: each order has an index. */
export const sorts = ["created", "failed", "attempts"] as const;
export type Sort = (typeof sorts)[number];

export const sortQuery = {
  sort: Type.Optional(
    Type.Union([Type.Literal("created"), Type.Literal("failed"), Type.Literal("attempts")], {
      description: "of FAILED ones: the newest first (created, the default), the last failure first, or the most attempts first",
    }),
  ),
};

/** How a list is ordered: as its rows are due, as their leases end, the last failure first (FAILED or RETRYING), by attempts, or newest first. */
export type Order = "due" | "retrying" | "leases" | "failed" | "attempts" | "created";

/** What is on its way is listed in the order in which something happens to it. A user's rows are listed newest first whatever their state. */
export function orderOf({ status, user_id }: Filter, sort: Sort = "created", held: string): Order {
  if (sort !== "created" && (status !== "FAILED" || user_id !== null))
    throw badRequest("only FAILED rows that are not of one user can be sorted", {
      errors: [{ pointer: "/sort", detail: "goes with status=FAILED and without user_id" }],
    });
  if (user_id !== null) return "created";
  if (status === "FAILED") return sort;
  return status === "PENDING" ? "due" : status === "RETRYING" ? "retrying" : status === held ? "leases" : "created";
}

/** What a list in this order starts after. */
export const startOf = (order: Order): Place =>
  order === "due" || order === "leases" ? firstPlace : { at: order === "attempts" ? "2147483647" : "infinity", id: highestUuid };
