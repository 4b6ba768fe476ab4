import type { Setting, Settings, SettingsSpec } from "../config/config.ts";
import type { RoleUrls } from "../config/nats_access.ts";
import type { KernelSettings } from "../config/settings.ts";
import type { Scope } from "../http/auth.ts";
import type { RoleContext } from "../life/role.ts";
import type { Service } from "../life/service.ts";
import type { PermissionsOf } from "../nats/permissions.ts";
import type { Pausable } from "../operator/pausable.ts";
import type { RowKind } from "../operator/row_kind.ts";

/** What a role needs beside its database as the app role and NATS. `services`: the APIs of the other systems. `outside`: a service of somebody else. */
export type Need = "owner" | "redis" | "signing keys" | "services" | "outside";

/** Who calls the API: machines by API keys, people and operators by tokens that another system mints for them, or browsers themselves. */
export type Audience = "machines" | "people" | "operators" | "browsers";

export interface RoleDeclaration<Own> {
  readonly needs?: readonly Need[];
  /** It connects to NATS, with these permissions. */
  readonly nats?: PermissionsOf;
  /** Imports the code of the role and makes its service: a process or thread loads the code of its own roles only. */
  create(kernel: KernelSettings, settings: Own, context: RoleContext): Promise<Service>;
}

interface DatabaseSettings {
  readonly ownerUrl: Setting<string | undefined>;
  readonly appUrl: Setting<string>;
}

/** The settings that every system has. */
export type SystemSettings = SettingsSpec &
  Partial<DatabaseSettings> & {
    readonly port: Setting<number>;
    readonly healthPort: Setting<number | undefined>;
    /** For the roles that need NATS. */
    readonly natsUrls?: RoleUrls;
  };

/** All that is known of a system outside its room. What else is said of systems derives from it. */
export interface System<Name extends string = string, Spec extends SystemSettings = SystemSettings> {
  readonly name: Name;
  readonly settings: Spec;
  /** What is wrong with its settings together. Settings that could not be read are undefined. */
  problems?(settings: Settings<Spec>, kernel: KernelSettings): string[];
  readonly database: boolean;
  readonly serves: readonly Audience[];
  /** What API keys may do here, beside the operators' scopes. */
  readonly scopes?: readonly Scope[];
  readonly api: RoleDeclaration<Settings<Spec>>;
  /** They run as threads beside the API, or as processes of their own. */
  readonly workers?: Readonly<Record<string, RoleDeclaration<Settings<Spec>>>>;
  /** Its queue tables, for operators. */
  readonly rowKinds?: readonly RowKind[];
  /** Its workers that operators can pause. */
  readonly pausable?: readonly Pausable[];
}

type Declared<Name extends string, Spec extends SystemSettings> = System<Name, Spec> & {
  readonly database: Spec extends DatabaseSettings ? true : false;
};

/** Infers the types of the settings, so that each role gets those of its own system. */
export const declareSystem = <const Name extends string, const Spec extends SystemSettings>(
  system: Declared<Name, Spec>,
): System<Name, Spec> => system;

/** Names of the roles, `<system>:<role>`: the migration first, then the API, then the workers. */
export const rolesOf = ({ name, database, workers = {} }: System): string[] =>
  [...(database ? ["migrate"] : []), "api", ...Object.keys(workers)].map(role => `${name}:${role}`);

export const workersOf = ({ name, workers = {} }: System): string[] => Object.keys(workers).map(role => `${name}:${role}`);

/** What a role needs. Migrations change the schema, so they run as its owner. */
export function needsOf(system: System, role: string): readonly Need[] {
  return role === `${system.name}:migrate` ? ["owner"] : (declarationOf(system, role)?.needs ?? []);
}

export const natsPermissionsOf = (system: System, role: string): PermissionsOf | undefined => declarationOf(system, role)?.nats;

/** The declaration of a role; none for the migration, which every system with a database has. */
export function declarationOf<Spec extends SystemSettings>({ name, api, workers = {} }: System<string, Spec>, role: string) {
  const declared: Readonly<Record<string, RoleDeclaration<Settings<Spec>>>> = { api, ...workers };
  return role.startsWith(`${name}:`) ? declared[role.slice(name.length + 1)] : undefined;
}

export const takesKeys = ({ serves }: System): boolean => serves.includes("machines");
