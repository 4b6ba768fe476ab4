import { databaseDrills } from "./databases.ts";
import type { Drills } from "./drill.ts";
import { eventDrills } from "./events.ts";
import { gatewayDrills } from "./gateway.ts";
import { matchmakingDrills } from "./matchmaking.ts";
import { notificationDrills } from "./notification.ts";
import { operatorDrills } from "./operators.ts";
import { orderDrills } from "./orders.ts";
import { processDrills } from "./processes.ts";

/** All drills by the id of their failure mode. */
export const drills: Drills = {
  ...gatewayDrills,
  ...databaseDrills,
  ...eventDrills,
  ...notificationDrills,
  ...orderDrills,
  ...matchmakingDrills,
  ...processDrills,
  ...operatorDrills,
};
