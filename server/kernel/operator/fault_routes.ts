import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../http/callers.ts";
import type { Faults } from "../life/fault.ts";
import type { RoleChannel } from "../life/role.ts";

/** The fault switch, outside production only: makes the work of this process fail for users with a prefix, until it is set to "", or crash. */
export const faultRoutes = (requires: Requires, workers: readonly RoleChannel[], own?: Faults) =>
  new Elysia({ normalize: false }).put(
    "/debug/faults",
    ({ body: { user_prefix, crash = false, stick = false } }) => {
      if (own) own.failUsersWith = user_prefix;
      for (const worker of workers) {
        worker.failUsersWith(user_prefix);
        if (crash) worker.crash();
        if (stick) worker.stick();
      }
      return { user_prefix, crash, stick };
    },
    {
      body: Type.Object(
        {
          user_prefix: Type.String({ maxLength: 200, description: "the work for users with this prefix fails; empty = none fails" }),
          crash: Type.Optional(Type.Boolean({ description: "the workers end once, by an uncaught error" })),
          stick: Type.Optional(Type.Boolean({ description: "the workers hang until they are started again" })),
        },
        { additionalProperties: false },
      ),
      ...requires("ops:write"),
      detail: {
        summary: "Make work fail on purpose",
        description: "For rehearsals, in this process; does not exist in production. Scope: ops:write.",
      },
    },
  );
