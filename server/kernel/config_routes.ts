import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "./callers.ts";
import { effectiveSettings, type SettingsSpec } from "./config.ts";

/** The configuration as this process has it, for people who run it. */
export const configRoutes = (requires: Requires, specs: Readonly<Record<string, SettingsSpec>>) =>
  new Elysia({ normalize: false }).get(
    "/ops/config",
    () => ({ groups: Object.entries(specs).map(([name, spec]) => ({ name, settings: effectiveSettings(spec) })) }),
    {
      query: Type.Object({}, { additionalProperties: false }),
      ...requires({ roles: ["OPERATOR", "ADMIN"] }),
      detail: {
        summary: "The configuration in effect",
        description:
          "Every setting with its value and its default. Of a secret only whether it is set; of an address neither user nor password nor query. Role: OPERATOR or ADMIN.",
      },
    },
  );
