import { type Static, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Caller } from "../../kernel/http/auth.ts";
import { callerOf } from "../../kernel/http/callers.ts";
import { badRequest } from "../../kernel/http/problem.ts";
import { longText, moment, sha256Hex, text, uuid } from "../../kernel/http/text.ts";
import { checkCap, setChanged, tooLarge } from "../../kernel/operator/bulk_routes.ts";
import { describeOperation, type Operation } from "../../kernel/operator/operation_routes.ts";
import type { RowListParts } from "../../kernel/operator/row_list_routes.ts";
import type { EntitlementSql } from "../sql.gen.ts";

const strict = { additionalProperties: false };
// As many as one question of the relay may have.
const mostIds = 1000;

const selection = {
  since: Type.Optional(moment("events created at this time or later")),
  until: Type.Optional(moment("events created before this time")),
  user_id: Type.Optional(text("the user, exactly")),
  event_ids: Type.Optional(Type.Array(uuid("an event"), { minItems: 1, maxItems: mostIds, description: "these events" })),
  only_missing: Type.Optional(
    Type.Boolean({ description: "true, the default: only those that notification was found to lack; false: all published ones" }),
  ),
};
const previewBody = Type.Object(selection, strict);
const startBody = Type.Object(
  {
    ...selection,
    set_hash: sha256Hex("set_hash of the preview"),
    expected: Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: "eligible of the preview" }),
    reason: longText("why; kept in the audit of every event"),
  },
  strict,
);
type Selection = Static<typeof previewBody>;

export interface ResendOptions extends RowListParts {
  readonly sql: EntitlementSql;
  /** How long confirmed events are kept, in milliseconds. */
  readonly retention: number;
}

/** The events that a resend would publish again. */
export interface ResendPreview {
  readonly eligible: number;
  readonly set_hash: string;
  readonly sample: readonly string[];
  readonly earliest: string | null;
  readonly latest: string | null;
  /** Confirmed events from before this time may have been deleted from the outbox. */
  readonly kept_since: string;
  /** Whether `since` is before that time: then the set may lack events. */
  readonly is_before_kept: boolean;
  /** Whether all events that are kept were checked since the first missing one was found. Otherwise more may be found. */
  readonly is_complete: boolean;
}

/** Publishes events again: those that notification lacks, or all of a time, a user or a list. */
export function resendRoutes({ sql, requires, operators, cap, confirmedFor, operationStarted, retention }: ResendOptions) {
  async function preview(body: Selection): Promise<ResendPreview> {
    const [[found], [state]] = await Promise.all([
      sql.resend.preview(parametersOf(body)).catch(tooLarge),
      sql.verification.find({ every_seconds: 0 }),
    ]);
    const kept_since = new Date(Date.now() - retention).toISOString();
    const is_before_kept = body.since !== undefined && Date.parse(body.since) < Date.parse(kept_since);
    return { ...found!, kept_since, is_before_kept, is_complete: state!.is_complete };
  }

  async function start({ set_hash, expected, reason, ...asked }: Static<typeof startBody>, caller: Caller): Promise<Operation> {
    const selected = parametersOf(asked);
    checkCap(expected, cap, caller);
    const filter = { ...asked, only_missing: selected.only_missing };
    const begin = () => sql.resend.start({ ...selected, filter, set_hash, expected, actor: caller.clientId, reason }).catch(tooLarge);
    const [started] = await operators.walk(caller, begin);
    if (!started) throw setChanged();
    await sql.operations.confirm({ operation_id: [started.operation_id], seconds: confirmedFor / 1000 });
    operationStarted();
    return (await describeOperation(sql, started.operation_id))!;
  }

  return new Elysia({ normalize: false })
    .post(
      "/ops/outbox/resend/preview",
      ({ body, request }) => operators.walkOnce(callerOf(request), `resend ${JSON.stringify(body)}`, () => preview(body)),
      {
        body: previewBody,
        ...requires("ops:write"),
        detail: {
          summary: "What a resend would publish again",
          description: `Changes nothing. Takes \`since\`, \`user_id\` or \`event_ids\`, or several. Confirmed events from before \`kept_since\` may have been deleted from the outbox; \`is_before_kept\` says that \`since\` is earlier. With \`only_missing\` the set is what the check of confirmed events has found until now; \`is_complete\` says that it has seen all. Without it, events that are so old that notification may have forgotten them are left out: they would be delivered twice. Scope: ops:write.`,
        },
      },
    )
    .post(
      "/ops/outbox/resend",
      async ({ body, request, set }) => {
        const operation = await start(body, callerOf(request));
        set.status = 202;
        return operation;
      },
      {
        body: startBody,
        ...requires("ops:write"),
        detail: {
          summary: "Publish the events of a preview again",
          description: `Done in batches, oldest first; each event gets a new message id and is confirmed anew, audited. Notification drops what it holds, so every user has each notification once. 409 SET_CHANGED if the set is no longer the same. More than ${cap} events take the role ADMIN. Scope: ops:write.`,
        },
      },
    );
}

function parametersOf({ since, until, user_id, event_ids, only_missing = true }: Selection) {
  if (since === undefined && user_id === undefined && event_ids === undefined)
    throw badRequest("a resend needs a time, a user or a list of events", {
      errors: [{ pointer: "/since", detail: "is required without user_id and event_ids" }],
    });
  if (since !== undefined && until !== undefined && Date.parse(since) >= Date.parse(until))
    throw badRequest("the span of time is empty", { errors: [{ pointer: "/until", detail: "must be after since" }] });
  return { only_missing, since: since ?? null, until: until ?? null, user_id: user_id ?? null, event_id: event_ids ?? [] };
}
