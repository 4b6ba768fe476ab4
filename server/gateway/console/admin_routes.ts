import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { pathId } from "../../kernel/http/text.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Downstream } from "../calls/downstream.ts";
import { type Profile, type Profiles, sessionsAway } from "../edge/profiles.ts";
import { type SessionGuard, signedInOf } from "../edge/session_guard.ts";
import type { Sessions } from "../edge/sessions.ts";

const readers = ["VIEWER", "OPERATOR", "ADMIN"] as const;
const params = Type.Object({ user_id: pathId("the user") });
const reason = Type.Object({ reason: Type.String() }, { additionalProperties: false });

export interface AdminOptions {
  readonly services: Downstream;
  readonly profiles: Profiles;
  readonly sessions: Sessions;
  readonly guard: SessionGuard;
  /** Called when a user's status or roles changed. */
  readonly changed: () => void;
  /** Called when the erasure of a user was requested. */
  readonly erasing: () => void;
  readonly log: Log;
}

/** The console's API for users. Roles are checked here and again by account, which keeps the audit. */
export function adminRoutes({ services, profiles, sessions, guard, changed: wakeOthers, erasing, log }: AdminOptions) {
  const admin = guard.signedIn(["ADMIN"]);
  const reading = guard.signedIn(readers);
  const userPath = (userId: string, rest = "") => `/admin/users/${encodeURIComponent(userId)}${rest}`;

  /** A change takes effect at the user's next request, at every gateway. */
  async function change(request: Request, userId: string, rest: string, method: string, body: unknown): Promise<Profile> {
    const changed = await services.ask<Profile>("account", userPath(userId, rest), signedInOf(request).context, { method, body });
    await profiles.keep(changed).catch(error => log.warn({ error, user_id: changed.user_id }, "gateway.change_shows_late"));
    wakeOthers();
    return changed;
  }

  return new Elysia({ normalize: false })
    .get(
      "/admin/api/users",
      ({ request }) => services.ask<object>("account", `/admin/users${new URL(request.url).search}`, signedInOf(request).context),
      {
        ...reading,
        detail: { summary: "Users: all, by a prefix of e-mail address or name, suspended ones, or those with a role" },
      },
    )
    .get(
      "/admin/api/users/:user_id/audit",
      ({ request, params: { user_id } }) =>
        services.ask<object>("account", userPath(user_id, `/audit${new URL(request.url).search}`), signedInOf(request).context),
      { params, ...reading, detail: { summary: "The audit of a user, newest first" } },
    )
    .get(
      "/admin/api/users/:user_id/sessions",
      async ({ params: { user_id } }) => {
        const open = await sessions.list(user_id.toLowerCase()).catch(error => {
          throw sessionsAway(error);
        });
        return { user_id, sessions: open };
      },
      { params, ...reading, detail: { summary: "The open sessions of a user", description: "Without their ids." } },
    )
    .post(
      "/admin/api/users/:user_id/suspend",
      ({ request, params: { user_id }, body }) => change(request, user_id, ":suspend", "POST", body),
      {
        params,
        body: reason,
        ...admin,
        detail: { summary: "Suspend a user" },
      },
    )
    .post(
      "/admin/api/users/:user_id/restore",
      ({ request, params: { user_id }, body }) => change(request, user_id, ":restore", "POST", body),
      {
        params,
        body: reason,
        ...admin,
        detail: { summary: "Restore a user" },
      },
    )
    .post(
      "/admin/api/users/:user_id/erase",
      async ({ request, params: { user_id }, body }) => {
        const { context } = signedInOf(request);
        const asked = await services.ask<object>("account", userPath(user_id, ":erase"), context, { method: "POST", body });
        // The suspension takes effect at the user's next request.
        await profiles.forget(user_id.toLowerCase()).catch(error => log.warn({ error }, "gateway.change_shows_late"));
        wakeOthers();
        erasing();
        return asked;
      },
      { params, body: reason, ...admin, detail: { summary: "Erase a user's personal data in every system" } },
    )
    .get(
      "/admin/api/erasures/:user_id",
      ({ request, params: { user_id } }) =>
        services.ask<object>("account", `/admin/erasures/${encodeURIComponent(user_id)}`, signedInOf(request).context),
      { params, ...reading, detail: { summary: "One erasure, with what each system says about it" } },
    )
    .put("/admin/api/users/:user_id/roles", ({ request, params: { user_id }, body }) => change(request, user_id, "/roles", "PUT", body), {
      params,
      body: Type.Object({ roles: Type.Array(Type.String()), reason: Type.String() }, { additionalProperties: false }),
      ...admin,
      detail: { summary: "Set a user's roles" },
    })
    .post(
      "/admin/api/users/:user_id/sign-out",
      async ({ request, params: { user_id }, body }) => {
        // Recorded first: account keeps the audit, Redis the sessions.
        const { user_id: userId } = await change(request, user_id, ":sign-out", "POST", body);
        const ended = await sessions.endAll(userId).catch(error => {
          throw sessionsAway(error);
        });
        return { user_id: userId, ended };
      },
      { params, body: reason, ...admin, detail: { summary: "End all sessions of a user" } },
    );
}
