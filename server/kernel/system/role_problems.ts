import type { Settings } from "../config/config.ts";
import { natsUrlProblems } from "../config/nats_access.ts";
import type { KernelSettings } from "../config/settings.ts";
import { prefixOf } from "../config/system_settings.ts";
import { databaseUrlProblems } from "../postgres/database_url.ts";
import { needsOf, type System, type SystemSettings } from "./system.ts";

/** What is wrong with the settings of a system for these of its roles. */
export function roleProblems(
  system: System,
  roles: readonly string[],
  kernel: KernelSettings,
  settings: Settings<SystemSettings>,
): string[] {
  const isProduction = kernel.environment === "production";
  const owner = `${prefixOf(system.name)}_DATABASE_URL`;
  return [
    ...natsUrlProblems(roles, kernel.nats, settings.natsUrls ?? {}, isProduction),
    ...databaseUrlProblems(owner, settings.ownerUrl, isProduction),
    ...databaseUrlProblems(`${prefixOf(system.name)}_APP_DATABASE_URL`, settings.appUrl, isProduction),
    ...roles
      .filter(role => needsOf(system, role).includes("owner") && !settings.ownerUrl)
      .map(role => `${owner} is not set: ${role} works as the owner of the database`),
    ...(system.problems?.(settings, kernel) ?? []),
  ];
}

/** In production a role that publishes, consumes or answers about events does not start without keys. One sentence, however many roles. */
export function signingProblems(
  { environment, signingKeys }: Pick<KernelSettings, "environment" | "signingKeys">,
  systems: readonly System[],
  roles: readonly string[],
): string[] {
  const role = roles.find(one => systems.some(system => needsOf(system, one).includes("signing keys")));
  if (environment !== "production" || signingKeys || !role) return [];
  return [
    `EVENT_SIGNING_KEYS is not set: with KENRI_ENV=production ${role} accepts only signed messages; set it to <id>:<secret of at least 32 characters>, the same for every system`,
  ];
}
