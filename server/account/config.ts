import type { Settings } from "../kernel/config/config.ts";
import { databaseSettings, healthPortSetting, portSetting } from "../kernel/config/system_settings.ts";

export const accountSettings = {
  ...databaseSettings("account"),
  port: portSetting("account", 8083),
  healthPort: healthPortSetting("account"),
} as const;

export type AccountSettings = Settings<typeof accountSettings>;
