import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import type { Share } from "../../kernel/http/shared_reads.ts";
import { longText } from "../../kernel/http/text.ts";
import { examine } from "../../kernel/operator/invariants.ts";
import type { EntitlementSettings } from "../config.ts";
import type { EntitlementSql } from "../sql.gen.ts";
import { invariantsOf, withLateCheck } from "./invariants.ts";

export interface ConsistencyOptions {
  readonly sql: EntitlementSql;
  readonly requires: Requires;
  readonly settings: EntitlementSettings;
  readonly share: Share;
  /** Called when an operator requests a run of the reconciler. */
  readonly asked: () => void;
}

/** The invariants of entitlement, and the reconciler that repairs them. */
export function consistencyRoutes({ sql, requires, settings, share, asked }: ConsistencyOptions) {
  const invariants = invariantsOf(sql, settings);
  const examined = share(() => examine(invariants));
  const [streamOf, walked, verified] = [share(sql.consistency.stream), share(sql.reconciliation.find), share(sql.verification.find)];
  const every_seconds = settings.outbox.reconcile / 1000;
  const verify_seconds = settings.outbox.verify / 1000;

  async function reconciler() {
    const { asked_at, due, outcome, ...run } = (await walked())[0]!;
    return { every_seconds, asked_at, due, last_run: outcome === null ? null : { outcome, ...run } };
  }

  /** What the check of confirmed events has found. */
  async function verification() {
    const {
      checked_at,
      is_late,
      full_pass_ended_at,
      missing: count,
      more,
      missing_since,
      earliest,
      latest,
      is_complete,
    } = (await verified({ every_seconds: verify_seconds }))[0]!;
    return {
      every_seconds: verify_seconds,
      checked_at,
      is_late,
      full_pass_ended_at,
      missing: { count, more },
      missing_since,
      earliest,
      latest,
      is_complete,
    };
  }

  return new Elysia({ normalize: false })
    .get(
      "/ops/consistency",
      async () => {
        const [found, [stream = null], walks, checks] = await Promise.all([
          examined(),
          streamOf({ stream: settings.stream }),
          reconciler(),
          verification(),
        ]);
        return { invariants: withLateCheck(found, checks), stream, reconciler: walks, verification: checks };
      },
      {
        query: Type.Object({}, { additionalProperties: false }),
        ...requires("ops:read"),
        detail: {
          summary: "Whether the invariants hold",
          description:
            "Each invariant with how many rows break it, the oldest of them and up to five ids; `bounded` says what was examined, if not everything. `stream` is its last observed state, `reconciler` the result of its last run, in whichever process. `verification` says which confirmed events notification no longer holds: whether the last check is too old (`is_late`), how many were found, when the earliest and the latest of them were created, and in `is_complete` whether all events that are kept were checked since the first finding. Scope: ops:read.",
        },
      },
    )
    .post(
      "/ops/reconcile",
      async ({ body: { reason }, request, set }) => {
        const [row] = await sql.reconciliation.ask({ actor: callerOf(request).clientId, reason });
        asked();
        set.status = 202;
        return { asked_at: row!.asked_at };
      },
      {
        body: Type.Object({ reason: longText("why now; kept in the audit") }, { additionalProperties: false }),
        ...requires("ops:write"),
        detail: {
          summary: "Run the reconciler now",
          description:
            "A relay starts it within about a second, in whichever process; GET /ops/consistency has the result. Scope: ops:write.",
        },
      },
    );
}
