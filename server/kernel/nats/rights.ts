import type { Setting } from "../config/config.ts";
import { inboxPrefixOf } from "../config/nats_access.ts";

/** The name that a setting gives to a stream, a consumer or a subject. */
export type NameOf = (setting: Setting<string>) => string;

/** A subject that a role may use, and what for. */
export interface Right {
  readonly subject: string;
  readonly purpose: string;
}

/** What a role may publish and subscribe, besides the replies that come to its own inbox. */
export interface Rights {
  readonly publish: readonly Right[];
  readonly subscribe: readonly Right[];
}

export type RightsOf = (nameOf: NameOf) => Rights;

export const right = (subject: string, purpose: string): Right => ({ subject, purpose });

/** The server publishes replies here. Any other publisher needs the right to it. */
export const inboxOf = (role: string) => `${inboxPrefixOf(role)}.>`;
