import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../http/callers.ts";
import { text } from "../http/text.ts";
import type { Log } from "../telemetry/log.ts";

/** The present standing of a person's account; UNKNOWN = there is no such account any more. */
const standing = Type.Object(
  {
    account_status: Type.Union([Type.Literal("ACTIVE"), Type.Literal("SUSPENDED"), Type.Literal("UNKNOWN")]),
    roles: Type.Array(Type.String({ maxLength: 100 }), { maxItems: 100 }),
  },
  { additionalProperties: false },
);
export type Standing = Static<typeof standing>;

/** The statements of every system to confirm or stop operations. */
export interface StandingSql {
  actors(): Promise<{ actor: string }[]>;
  of_actor(parameters: { actor: string }): Promise<{ operation_id: string; action: string; total: number }[]>;
  confirm(parameters: { operation_id: readonly string[]; seconds: number }): Promise<unknown[]>;
  stop(parameters: { operation_id: string; reason: string }): Promise<unknown[]>;
}

export interface StandingOptions {
  readonly sql: StandingSql;
  readonly requires: Requires;
  readonly cap: number;
  /** How long a confirmation holds, in milliseconds. */
  readonly confirmedFor: number;
  readonly log: Log;
}

/** Where the gateway reads whose operations need a confirmation. */
export const actorsPath = "/operation-actors";
/** The gateway calls these every few seconds. */
export const actorPaths: readonly string[] = [actorsPath, `${actorsPath}/:user_id`];
const prefix = "user:";

/** Why a person's operation must stop; undefined if it may go on. It takes the same roles as starting it. */
export function whyStopped(
  actor: string,
  { action, total }: { action: string; total: number },
  { account_status, roles }: Standing,
  cap: number,
) {
  if (account_status === "UNKNOWN") return `the account of ${actor} is no longer there`;
  if (account_status === "SUSPENDED") return `the account of ${actor} was suspended`;
  if (roles.includes("ADMIN")) return undefined;
  if (action === "discard") return `${actor} no longer has the role ADMIN, which discarding takes`;
  if (total > cap) return `${actor} no longer has the role ADMIN, which more than ${cap} rows take`;
  return roles.includes("OPERATOR") ? undefined : `${actor} no longer has the role OPERATOR or ADMIN`;
}

/**
 * The people whose operations are running, and whether they may go on. The gateway reads the list and confirms each person every few seconds;
 * without a confirmation, operations of people wait.
 */
export function standingRoutes({ sql, requires, cap, confirmedFor, log }: StandingOptions) {
  const gateway = requires({ roles: ["GATEWAY"] });
  return new Elysia({ normalize: false })
    .get(actorsPath, async () => ({ actors: (await sql.actors()).map(({ actor }) => actor.slice(prefix.length)) }), {
      ...gateway,
      detail: { summary: "People whose bulk operations are running", description: "Their user ids. Role: GATEWAY." },
    })
    .put(
      `${actorsPath}/:user_id`,
      async ({ params: { user_id }, body }) => {
        const actor = `${prefix}${user_id}`;
        const running = await sql.of_actor({ actor });
        const judged = running.map(one => ({ ...one, reason: whyStopped(actor, one, body, cap) }));
        const confirmed = judged.flatMap(({ operation_id, reason }) => (reason === undefined ? [operation_id] : []));
        if (confirmed.length > 0) await sql.confirm({ operation_id: confirmed, seconds: confirmedFor / 1000 });
        for (const { operation_id, action, reason } of judged) {
          if (reason === undefined || (await sql.stop({ operation_id, reason })).length === 0) continue;
          log.warn({ operation_id, action, actor, reason }, "operation.stopped");
        }
        return { confirmed: confirmed.length, stopped: judged.length - confirmed.length };
      },
      {
        params: Type.Object({ user_id: text("the person") }),
        body: standing,
        ...gateway,
        detail: {
          summary: "The present standing of a person",
          description:
            "Their running operations go on for BULK_CONFIRMED_FOR, or are STOPPED if the person may no longer do what they started. Role: GATEWAY.",
        },
      },
    );
}
