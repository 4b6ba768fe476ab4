import { duration, integer, optional, secretUrl } from "./config.ts";

const ports = { minimum: 0, maximum: 65535 };

/** The variables of a system begin with its name in capitals. */
export const prefixOf = (system: string): string => system.toUpperCase();

/** The database of a system. `ownerFor`: what the owner's URL is needed for. */
export const databaseSettings = (system: string, ownerFor = "migrations") => ({
  ownerUrl: optional(secretUrl(`${prefixOf(system)}_DATABASE_URL`, `the database as its owner: ${ownerFor}`)),
  appUrl: secretUrl(`${prefixOf(system)}_APP_DATABASE_URL`, "the database as the app role: everything else"),
});

export const portSetting = (system: string, preset: number) =>
  integer(`${prefixOf(system)}_PORT`, `the port of ${system}:api`, preset, ports);

export const healthPortSetting = (system: string) =>
  optional(integer(`${prefixOf(system)}_HEALTH_PORT`, `the health port of ${system}, if it differs from HEALTH_PORT`, undefined, ports));

/** For every system with a janitor. */
export const cleanupEvery = duration("CLEANUP_EVERY", "how often rows past their retention are deleted", "1m", {
  minimum: "100ms",
  maximum: "1d",
});
