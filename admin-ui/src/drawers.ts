import { type ComponentType, lazy } from "react";
import type { KindName } from "./systems.ts";

export interface RowDrawerProps {
  readonly id: string;
  readonly close: () => void;
}

/** The drawers of kinds that show more than the common columns. */
export const drawers: Partial<Record<KindName, ComponentType<RowDrawerProps>>> = {
  outbox: lazy(async () => ({ default: (await import("./pages/outbox/event_drawer.tsx")).EventDrawer })),
  notifications: lazy(async () => ({ default: (await import("./pages/notifications/notification_drawer.tsx")).NotificationDrawer })),
  orders: lazy(async () => ({ default: (await import("./pages/orders/order_drawer.tsx")).OrderDrawer })),
};

export interface AboveListProps {
  readonly open: (id: string) => void;
}

/** What stands above the list of a kind. */
export const aboveLists: Partial<Record<KindName, ComponentType<AboveListProps>>> = {
  orders: lazy(async () => ({ default: (await import("./pages/orders/unknown_outcomes.tsx")).UnknownOutcomes })),
};
