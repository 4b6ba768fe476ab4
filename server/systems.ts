import { account } from "./account/system.ts";
import { entitlement } from "./entitlement/system.ts";
import { gatewayOf } from "./gateway/system.ts";
import { readSettings, type Settings, type SettingsSpec } from "./kernel/config/config.ts";
import { kernelProblems, kernelSettings } from "./kernel/config/settings.ts";
import { operatorScopes, type Scope } from "./kernel/http/auth.ts";
import type { RoleContext } from "./kernel/life/role.ts";
import type { Service } from "./kernel/life/service.ts";
import { migrationRole } from "./kernel/system/migration_role.ts";
import { roleProblems, signingProblems } from "./kernel/system/role_problems.ts";
import { declarationOf, rolesOf, type System, type SystemSettings } from "./kernel/system/system.ts";
import { matchmaking } from "./matchmaking/system.ts";
import { notification } from "./notification/system.ts";
import { orders } from "./orders/system.ts";

/** The systems behind the gateway, one line each. Everything that is said of systems elsewhere derives from their declarations. */
const services = [
  entitlement, //
  notification,
  account,
  orders,
  matchmaking,
] as const;

const declared = [...services, gatewayOf(services)] as const;

export type SystemName = (typeof declared)[number]["name"];
export const systems: readonly System<SystemName>[] = declared;

export const allRoles: readonly string[] = systems.flatMap(rolesOf);
export const allScopes: readonly Scope[] = [...systems.flatMap(({ scopes = [] }) => scopes), ...operatorScopes];
export const allSettings: Readonly<Record<string, SettingsSpec>> = {
  kernel: kernelSettings,
  ...Object.fromEntries(systems.map(({ name, settings }) => [name, settings])),
};

/** The system of a role; throws for a role that none declares. */
export function systemOf(role: string): System<SystemName> {
  const system = systems.find(one => rolesOf(one).includes(role));
  if (!system) throw new Error(`there is no role ${role}; there are ${allRoles.join(", ")}`);
  return system;
}

export interface AllSettings {
  readonly kernel: Settings<typeof kernelSettings>;
  readonly systems: Readonly<Record<string, Settings<SystemSettings>>>;
}

/** Reads the settings that these roles need; throws one error that names everything that is wrong. */
export function settingsFor(roles: readonly string[], environment?: Record<string, string | undefined>): AllSettings {
  const needed = systems.filter(system => rolesOf(system).some(role => roles.includes(role)));
  const judge = ({ kernel, systems: read }: AllSettings) => [
    ...kernelProblems(kernel),
    ...signingProblems(kernel, needed, roles),
    ...needed.flatMap(system =>
      roleProblems(
        system,
        rolesOf(system).filter(role => roles.includes(role)),
        kernel,
        read[system.name]!,
      ),
    ),
  ];
  const spec = Object.fromEntries(needed.map(({ name, settings }) => [name, settings]));
  return readSettings({ kernel: kernelSettings, systems: spec }, environment, judge) as AllSettings;
}

/** Makes the service of a role. */
export async function createRole({ kernel, systems: read }: AllSettings, context: RoleContext): Promise<Service> {
  const system = systemOf(context.role);
  const settings = read[system.name]!;
  const declaration = declarationOf(system, context.role);
  return declaration ? declaration.create(kernel, settings, context) : migrationRole(system.name, settings.ownerUrl!, context);
}
