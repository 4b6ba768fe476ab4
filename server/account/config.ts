import { integer, optional, type Settings, secretUrl } from "../kernel/config/config.ts";

export const accountSettings = {
  ownerUrl: optional(secretUrl("ACCOUNT_DATABASE_URL", "the database as its owner: migrations")),
  appUrl: secretUrl("ACCOUNT_APP_DATABASE_URL", "the database as the app role: everything else"),
  port: integer("ACCOUNT_PORT", "the port of the API", 8083, { minimum: 0, maximum: 65535 }),
  healthPort: optional(
    integer("ACCOUNT_HEALTH_PORT", "the health port of account where it differs from HEALTH_PORT", undefined, {
      minimum: 0,
      maximum: 65535,
    }),
  ),
} as const;

export type AccountSettings = Settings<typeof accountSettings>;
