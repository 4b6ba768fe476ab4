import { type SystemName, systems } from "../server/systems.ts";

export type { SystemName };

/** The systems in the order of their usual ports. The usual health port is 1000 above. */
export const devSystems = systems
  .map(({ name, database, settings }) => ({ name, database, port: Number(settings.port.preset) }))
  .map(system => ({ ...system, healthPort: system.port + 1000 }))
  .toSorted((a, b) => a.port - b.port);

/** Those with a database. */
export const storing: readonly SystemName[] = devSystems.filter(({ database }) => database).map(({ name }) => name);
