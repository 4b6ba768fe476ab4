import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../http/callers.ts";
import { Problem } from "../http/problem.ts";
import { text } from "../http/text.ts";
import type { Pause } from "../life/health.ts";
import type { Pauses } from "../life/pauses.ts";
import type { Pausable } from "./pausable.ts";

interface PauseRequest {
  readonly role: string;
  readonly actor: string;
  readonly reason: string;
}

/** Where a system keeps its pauses. A change is audited with it; pausing what is paused, and resuming what runs, changes nothing. */
export interface PauseStore {
  list(): Promise<readonly Pause[]>;
  pause(request: PauseRequest): Promise<unknown>;
  resume(request: PauseRequest): Promise<unknown>;
}

export interface PauseRoutesOptions {
  readonly pausable: readonly Pausable[];
  readonly pauses: Pauses;
  readonly store: PauseStore;
  readonly requires: Requires;
}

/** A role that can be paused, and its pause. */
export interface RoleState {
  /** `<system>:<role>` */
  readonly role: string;
  /** What pausing means for users. */
  readonly means: string;
  /** Null while it works. */
  readonly paused: Omit<Pause, "role"> | null;
}

const nameOf = (role: string) => role.slice(role.indexOf(":") + 1);
const actionBody = Type.Object({ reason: text("why; stored in the audit log") }, { additionalProperties: false });
const everywhere = "Other processes follow within about two seconds. Scope: ops:write.";

/** Pausing and resuming the roles of a system. */
export function pauseRoutes({ pausable, pauses, store, requires }: PauseRoutesOptions) {
  function stateOf({ role, means }: Pausable, found: readonly Pause[]): RoleState {
    const pause = found.find(one => one.role === role);
    if (!pause) return { role, means, paused: null };
    const { paused_at, paused_by, reason } = pause;
    return { role, means, paused: { paused_at, paused_by, reason } };
  }

  async function act(action: "pause" | "resume", name: string, actor: string, reason: string): Promise<RoleState> {
    const one = pausable.find(({ role }) => nameOf(role) === name);
    const names = pausable.map(({ role }) => nameOf(role)).join(", ");
    if (!one) throw new Problem(404, "ROLE_NOT_FOUND", `there is no such role, or it cannot be paused; these can: ${names}`);
    await store[action]({ role: one.role, actor, reason });
    // Answers when this process has stopped or started, and as the store has it: somebody else may have acted meanwhile.
    await pauses.changed();
    return stateOf(one, pauses.current());
  }

  const params = Type.Object({ role: Type.String({ description: "the role without its system, e.g. relay" }) });
  return new Elysia({ normalize: false })
    .get("/ops/pauses", async () => ({ roles: await store.list().then(found => pausable.map(one => stateOf(one, found))) }), {
      query: Type.Object({}, { additionalProperties: false }),
      ...requires("ops:read"),
      detail: {
        summary: "The roles that can be paused, and which are",
        description: "What pausing each means for users; who paused it, since when and why. Scope: ops:read.",
      },
    })
    .post(
      "/ops/roles/:role/pause",
      ({ params: { role }, body: { reason }, request }) => act("pause", role, callerOf(request).clientId, reason),
      {
        params,
        body: actionBody,
        ...requires("ops:write"),
        detail: {
          summary: "Pause a role",
          description: `It starts no new work, in any process and after any restart, until it is resumed. Work under way ends normally, and requests are accepted as before. Pausing a paused role changes nothing and returns its pause. ${everywhere}`,
        },
      },
    )
    .post(
      "/ops/roles/:role/resume",
      ({ params: { role }, body: { reason }, request }) => act("resume", role, callerOf(request).clientId, reason),
      {
        params,
        body: actionBody,
        ...requires("ops:write"),
        detail: {
          summary: "Resume a role",
          description: `It works again, on everything that waits. Resuming a role that works changes nothing. ${everywhere}`,
        },
      },
    );
}
