import { accountApi } from "./account/api_role.ts";
import { accountSettings } from "./account/config.ts";
import { entitlementApi } from "./entitlement/api_role.ts";
import { entitlementSettings } from "./entitlement/config.ts";
import { janitorRole as entitlementJanitor } from "./entitlement/janitor.ts";
import { relayRole } from "./entitlement/relay_role.ts";
import { gatewayApi } from "./gateway/api_role.ts";
import { gatewayProblems, gatewaySettings } from "./gateway/config.ts";
import { readSettings, type Settings } from "./kernel/config/config.ts";
import { natsUrlProblems } from "./kernel/config/nats_access.ts";
import { kernelProblems, kernelSettings } from "./kernel/config/settings.ts";
import type { RoleContext } from "./kernel/life/role.ts";
import { type Service, service } from "./kernel/life/service.ts";
import { databaseUrlProblems } from "./kernel/postgres/database_url.ts";
import { migrate } from "./kernel/postgres/migrations.ts";
import { notificationApi } from "./notification/api_role.ts";
import { notificationSettings } from "./notification/config.ts";
import { consumerRole } from "./notification/consumer_role.ts";
import { janitorRole as notificationJanitor } from "./notification/janitor.ts";
import { senderRole } from "./notification/sender_role.ts";

/**
 * Which systems there are, whether they have a database, which of their roles run as worker threads beside their API, and whether
 * machine clients may call.
 */
export const systems = {
  entitlement: { settings: entitlementSettings, database: true, workers: ["relay", "janitor"], takesKeys: true },
  notification: { settings: notificationSettings, database: true, workers: ["sender", "consumer", "janitor"], takesKeys: true },
  account: { settings: accountSettings, database: true, workers: [], takesKeys: false },
  gateway: { settings: gatewaySettings, database: false, workers: [], takesKeys: false },
} as const;

export type SystemName = keyof typeof systems;
export const systemNames = Object.keys(systems) as SystemName[];

export const allSettings = {
  kernel: kernelSettings,
  entitlement: entitlementSettings,
  notification: notificationSettings,
  account: accountSettings,
  gateway: gatewaySettings,
} as const;

export type AllSettings = Settings<typeof allSettings>;

export const rolesOf = (system: SystemName): string[] => {
  const { database, workers } = systems[system];
  return [...(database ? ["migrate"] : []), "api", ...workers].map(role => `${system}:${role}`);
};

/** Reads the settings that these roles need; throws one error that names everything that is wrong. */
export function settingsFor(roles: readonly string[], environment?: Record<string, string | undefined>): AllSettings {
  const needed = systemNames.filter(system => roles.some(role => role.startsWith(`${system}:`)));
  const spec = Object.fromEntries(needed.map(system => [system, systems[system].settings]));
  const judge = (values: AllSettings) => [
    ...kernelProblems(values.kernel),
    ...needed.flatMap(system =>
      natsUrlProblems(roles, values.kernel.nats, natsUrlsOf(values[system]), values.kernel.environment === "production"),
    ),
    ...signingProblems(values.kernel, roles),
    ...(needed.includes("gateway") ? gatewayProblems(values.gateway, values.kernel.environment) : []),
    ...needed.flatMap(system => databaseProblems(system, values)),
    ...ownerRoles.flatMap(role => {
      const system = role.split(":")[0] as Exclude<SystemName, "gateway">;
      if (!roles.includes(role) || values[system].ownerUrl) return [];
      return [`${system.toUpperCase()}_DATABASE_URL is not set: ${role} works as the owner of the database`];
    }),
  ];
  return readSettings({ kernel: kernelSettings, ...spec } as unknown as typeof allSettings, environment, judge);
}

function databaseProblems(system: SystemName, values: AllSettings): string[] {
  if (system === "gateway") return [];
  const { ownerUrl, appUrl } = values[system];
  const isProduction = values.kernel.environment === "production";
  const prefix = system.toUpperCase();
  return [
    ...databaseUrlProblems(`${prefix}_DATABASE_URL`, ownerUrl, isProduction),
    ...databaseUrlProblems(`${prefix}_APP_DATABASE_URL`, appUrl, isProduction),
  ];
}

/** What a system has for its roles; those without a URL there do not connect to NATS. */
const natsUrlsOf = (values: AllSettings[SystemName]) => ("natsUrls" in values ? values.natsUrls : {});

const ownerRoles = ["entitlement:migrate", "entitlement:janitor", "notification:migrate", "account:migrate"];

// They publish events, take them in, or ask and answer about them.
const signingRoles = ["entitlement:api", "entitlement:relay", "notification:api", "notification:consumer"];

export function signingProblems(
  { environment, signingKeys }: Pick<AllSettings["kernel"], "environment" | "signingKeys">,
  roles: readonly string[],
): string[] {
  const role = roles.find(one => signingRoles.includes(one));
  if (environment !== "production" || signingKeys || !role) return [];
  return [
    `EVENT_SIGNING_KEYS is not set: with KENRI_ENV=production ${role} takes only signed messages; set it to <id>:<secret of at least 32 characters>, the same for entitlement and notification`,
  ];
}

/** Makes the service of a role. */
export function createRole({ kernel, entitlement, notification, account, gateway }: AllSettings, context: RoleContext): Service {
  switch (context.role) {
    case "entitlement:migrate":
      return migration("entitlement", entitlement.ownerUrl!, context);
    case "entitlement:api":
      return entitlementApi(kernel, entitlement, context);
    case "entitlement:relay":
      return relayRole(kernel, entitlement, context);
    case "entitlement:janitor":
      return entitlementJanitor(kernel, entitlement, entitlement.ownerUrl!, context);
    case "notification:migrate":
      return migration("notification", notification.ownerUrl!, context);
    case "notification:api":
      return notificationApi(kernel, notification, context);
    case "notification:consumer":
      return consumerRole(kernel, notification, context);
    case "notification:sender":
      return senderRole(kernel, notification, context);
    case "notification:janitor":
      return notificationJanitor(kernel, notification, context);
    case "account:migrate":
      return migration("account", account.ownerUrl!, context);
    case "account:api":
      return accountApi(kernel, account, context);
    case "gateway:api":
      return gatewayApi(kernel, gateway, context);
    default:
      throw new Error(`there is no role ${context.role}; there are ${systemNames.flatMap(rolesOf).join(", ")}`);
  }
}

const migration = (system: SystemName, ownerUrl: string, { log }: RoleContext): Service =>
  service({
    async start(stopping) {
      // What a stop interrupts is rolled back by the database when the process has gone.
      const stopped = new Promise(resolve => stopping.addEventListener("abort", resolve));
      await Promise.race([migrate({ system, ownerUrl, say: line => log.info(line) }), stopped]);
    },
    stop: async () => {},
  });
