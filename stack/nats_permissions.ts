import type { NameOf, Permissions } from "../server/kernel/nats/permissions.ts";
import { natsPermissionsOf, rolesOf } from "../server/kernel/system/system.ts";
import { systems } from "../server/systems.ts";

/** The names in the settings of this environment. */
export const namesIn =
  (environment: Record<string, string | undefined>): NameOf =>
  ({ variable, preset }) => {
    const name = environment[variable] || preset;
    if (!name) throw new Error(`${variable} has no default, so the permissions at NATS cannot name it`);
    return name;
  };

export const defaultNames: NameOf = namesIn({});

/**
 * The tests share a server. Each has a stream, a consumer and subjects of its own. A wildcard stands for a whole token, never for a part of one, so
 * a test adds a token to the subject.
 */
export const testNames: NameOf = setting => (setting.variable.endsWith("_SUBJECT") ? `${defaultNames(setting)}.*` : "*");

/**
 * What each role may do at NATS, as its system declares it. No role may delete or purge a stream, or change one that exists. The administrator may
 * do everything and is no role: people and tests use it.
 */
export const permissionsOf = (nameOf: NameOf): Record<string, Permissions> =>
  Object.fromEntries(
    systems.flatMap(system =>
      rolesOf(system).flatMap(role => {
        const permissions = natsPermissionsOf(system, role);
        return permissions ? [[role, permissions(nameOf)]] : [];
      }),
    ),
  );

/** The variables that give streams, consumers and subjects their names. */
export function nameVariables(): string[] {
  const variables = new Set<string>();
  permissionsOf(setting => {
    variables.add(setting.variable);
    return defaultNames(setting);
  });
  return [...variables];
}
