import type { Setting } from "../config/config.ts";
import { inboxPrefixOf } from "../config/nats_access.ts";

/** The name that a setting gives to a stream, a consumer or a subject. */
export type NameOf = (setting: Setting<string>) => string;

/** A subject that a role may use, and what for. */
export interface Permission {
  readonly subject: string;
  readonly purpose: string;
}

/** What a role may publish and subscribe, besides the replies that come to its own inbox. */
export interface Permissions {
  readonly publish: readonly Permission[];
  readonly subscribe: readonly Permission[];
}

export type PermissionsOf = (nameOf: NameOf) => Permissions;

export const permission = (subject: string, purpose: string): Permission => ({ subject, purpose });

/** The server publishes replies here. Any other publisher needs the permission for it. */
export const inboxOf = (role: string) => `${inboxPrefixOf(role)}.>`;
