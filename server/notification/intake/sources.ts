import type { NotificationSettings } from "../config.ts";
import { entitlementSource } from "./entitlement_source.ts";
import { matchSource } from "./match_source.ts";
import type { Source } from "./source.ts";

/** Each source of the settings has its declaration here. */
const declared: { readonly [Name in keyof NotificationSettings["sources"]]: (settings: NotificationSettings) => Source } = {
  entitlement: entitlementSource,
  matchmaking: matchSource,
};

/** All sources of notifications. */
export const sourcesOf = (settings: NotificationSettings): readonly Source[] => Object.values(declared).map(declare => declare(settings));
