import { outboxRows } from "../../server/entitlement/operator/row_kind.ts";
import { kindNamed, type RowKind } from "../../server/kernel/operator/row_kind.ts";
import { notificationRows } from "../../server/notification/operator/row_kind.ts";
import { orderRows } from "../../server/orders/operator/row_kind.ts";

/** The queue tables of the console. One line gives a table its list, tabs, counts, badge, overview card and bulk actions. */
const declared = [
  outboxRows, //
  notificationRows,
  orderRows,
] as const satisfies readonly RowKind[];

export type KindName = (typeof declared)[number]["name"];
/** A system with a queue table. */
export type System = (typeof declared)[number]["system"];
export interface Kind extends RowKind {
  readonly name: KindName;
  readonly system: System;
}

export const rowKinds: readonly Kind[] = declared;
export const systems: readonly System[] = [...new Set(rowKinds.map(({ system }) => system))];

/** Systems with operators' routes and without a queue table. The gateway reports its own health. */
const others = ["matchmaking"] as const;
/** A system whose health the console shows. */
export type WatchedSystem = System | (typeof others)[number];
export const watchedSystems: readonly WatchedSystem[] = [...systems, ...others];

export const titleOf = (system: string): string => system.charAt(0).toUpperCase() + system.slice(1);

export const isSystem = (name: string): name is System => systems.some(system => system === name);
export const isKindName = (name: string): name is KindName => rowKinds.some(kind => kind.name === name);
/** Throws for an unknown name: a wrong default would act on the rows of another table. */
export const kindOf = (name: string): Kind => kindNamed(rowKinds, name);
