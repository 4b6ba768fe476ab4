import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { pathId } from "../../kernel/http/text.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Downstream } from "../calls/downstream.ts";
import { type People, type Profile, sessionsAway } from "../edge/people.ts";
import { guestOf, type SessionGuard } from "../edge/session_guard.ts";
import type { Sessions } from "../edge/sessions.ts";

const readers = ["VIEWER", "OPERATOR", "ADMIN"] as const;
const params = Type.Object({ user_id: pathId("the user") });
const reason = Type.Object({ reason: Type.String() }, { additionalProperties: false });

export interface AdminOptions {
  readonly services: Downstream;
  readonly people: People;
  readonly sessions: Sessions;
  readonly entrance: SessionGuard;
  /** Called when a user's status or roles changed. */
  readonly changed: () => void;
  readonly log: Log;
}

/** The console's API. Roles are checked here and again by the service, which keeps the audit. */
export function adminRoutes({ services, people, sessions, entrance, changed: wakeOthers, log }: AdminOptions) {
  const admin = entrance.signedIn(["ADMIN"]);
  const reading = entrance.signedIn(readers);
  const userPath = (userId: string, rest = "") => `/admin/users/${encodeURIComponent(userId)}${rest}`;

  /** A change of a user shows at their next request, at every gateway. */
  async function change(request: Request, userId: string, rest: string, method: string, body: unknown): Promise<Profile> {
    const changed = await services.ask<Profile>("account", userPath(userId, rest), guestOf(request).errand, { method, body });
    await people.keep(changed).catch(error => log.warn({ error, user_id: changed.user_id }, "gateway.change_shows_late"));
    wakeOthers();
    return changed;
  }

  return new Elysia({ normalize: false })
    .get(
      "/admin/api/users",
      ({ request }) => services.ask<object>("account", `/admin/users${new URL(request.url).search}`, guestOf(request).errand),
      {
        ...reading,
        detail: { summary: "Users: all, by the beginning of an e-mail address or name, the suspended ones, or those with a role" },
      },
    )
    .get(
      "/admin/api/users/:user_id/audit",
      ({ request, params: { user_id } }) =>
        services.ask<object>("account", userPath(user_id, `/audit${new URL(request.url).search}`), guestOf(request).errand),
      { params, ...reading, detail: { summary: "What was done to a user, newest first" } },
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
    .put("/admin/api/users/:user_id/roles", ({ request, params: { user_id }, body }) => change(request, user_id, "/roles", "PUT", body), {
      params,
      body: Type.Object({ roles: Type.Array(Type.String()), reason: Type.String() }, { additionalProperties: false }),
      ...admin,
      detail: { summary: "Set a user's roles" },
    })
    .post(
      "/admin/api/users/:user_id/sign-out",
      async ({ request, params: { user_id }, body }) => {
        // On record before it is done: account keeps the audit, Redis the sessions.
        const { user_id: userId } = await change(request, user_id, ":sign-out", "POST", body);
        const ended = await sessions.endAll(userId).catch(error => {
          throw sessionsAway(error);
        });
        return { user_id: userId, ended };
      },
      { params, body: reason, ...admin, detail: { summary: "End all sessions of a user" } },
    );
}
