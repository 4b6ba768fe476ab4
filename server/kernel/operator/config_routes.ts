import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { type EffectiveSetting, effectiveSettings, type SettingsSpec } from "../config/config.ts";

interface Arrival {
  readonly request: Request;
  readonly set: { headers: Record<string, string | number> };
}

/** Route options that admit only people with one of these roles. */
type Guard = (admission: { readonly roles: readonly ("OPERATOR" | "ADMIN")[] }) => { transform: (arrival: Arrival) => Promise<void> };

export interface ConfigGroup {
  readonly name: string;
  readonly settings: readonly EffectiveSetting[];
}

/** The configuration in effect in this process. */
export const configRoutes = (requires: Guard, specs: Readonly<Record<string, SettingsSpec>>, path = "/ops/config") =>
  new Elysia({ normalize: false }).get(
    path,
    (): { groups: ConfigGroup[] } => ({
      groups: Object.entries(specs).map(([name, spec]) => ({ name, settings: effectiveSettings(spec) })),
    }),
    {
      query: Type.Object({}, { additionalProperties: false }),
      transform: requires({ roles: ["OPERATOR", "ADMIN"] }).transform,
      detail: {
        summary: "The configuration in effect",
        description:
          "Every setting with its value and its default. Of a secret only whether it is set; of an address neither user nor password nor query. Role: OPERATOR or ADMIN.",
      },
    },
  );
