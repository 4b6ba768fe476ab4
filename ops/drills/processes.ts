import type { SystemName } from "../../stack/dev_systems.ts";
import { until } from "../../stack/wait.ts";
import type { Drills } from "./drill.ts";
import type { Stage } from "./stage.ts";
import { inPostgres } from "./stores.ts";
import { grant } from "./users.ts";

/** Kills the process of a role five times, each time as soon as Prometheus has seen that the role was started. */
export async function restartOften(stage: Stage, system: SystemName, role: string): Promise<void> {
  const started = async () => (await stage.query(`max(kenri_start_time_seconds{role="${role}"})`))[0]?.value ?? 0;
  let starting: Promise<void> = Promise.resolve();
  for (let times = 0; times < 5; times++) {
    const before = await started();
    await stage.kenri(system).halt();
    starting = stage.kenri(system).start();
    starting.catch(() => {}); // it is killed before it is ready
    await until("Prometheus sees the start", 60_000, async () => (await started()) > before, 250);
  }
  await starting;
}

/** Starts the process of a system that cannot start. Its output must name the cause. */
async function startInVain(stage: Stage, system: SystemName, cause: RegExp): Promise<void> {
  const seen = await stage
    .kenri(system)
    .start()
    .then(
      () => "it has started",
      (error: Error) => error.message,
    );
  if (!cause.test(seen)) throw new Error(`${system} does not say why it cannot start: ${seen}`);
}

const rename = (stage: Stage, from: string, to: string) =>
  inPostgres(stage, "account", sql => sql.unsafe(`alter table users rename column ${from} to ${to}`));

export const processDrills: Drills = {
  "process-down": {
    what: "the process of all systems hangs",
    cause: stage => stage.kenri("entitlement").pause(),
    traffic: stage => grant(stage),
    moves: 'count(up{job="kenri"} == 0)',
    alert: "KenriProcessDown",
    labels: { system: "entitlement" },
    repair: stage => stage.kenri("entitlement").resume(),
  },
  "process-restarts": {
    what: "the gateway ends five times and is started again",
    apart: ["gateway"],
    cause: stage => restartOften(stage, "gateway", "gateway:api"),
    traffic: stage => grant(stage),
    moves: 'max(changes(kenri_start_time_seconds{role="gateway:api"}[1m]))',
    alert: "KenriProcessRestarts",
    labels: { system: "gateway", role: "gateway:api" },
    repair() {}, // it is not killed any more
  },
  "bad-setting": {
    what: "the gateway is started with a setting that it refuses",
    apart: ["gateway"],
    async cause(stage) {
      await stage.kenri("gateway").stop();
      stage.set("gateway", "GATEWAY_DEADLINE", "soon");
      await startInVain(stage, "gateway", /GATEWAY_DEADLINE/);
    },
    traffic: stage => grant(stage),
    moves: 'count(up{system="gateway"} == 0)',
    alert: "KenriProcessDown",
    labels: { system: "gateway" },
    repair(stage) {
      stage.set("gateway", "GATEWAY_DEADLINE", undefined);
      return stage.kenri("gateway").start();
    },
  },
  "bad-schema": {
    what: "account is started on a database whose schema does not fit its SQL files",
    apart: ["account"],
    async cause(stage) {
      await stage.kenri("account").stop();
      await rename(stage, "display_name", "shown_name");
      await startInVain(stage, "account", /display_name/);
    },
    moves: 'count(up{system="account"} == 0)',
    alert: "KenriProcessDown",
    labels: { system: "account" },
    async repair(stage) {
      await rename(stage, "shown_name", "display_name");
      await stage.kenri("account").start();
    },
  },
};
