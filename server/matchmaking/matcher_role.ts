import type { KernelSettings } from "../kernel/config/settings.ts";
import { countWork, liveness } from "../kernel/delivery/liveness.ts";
import { loop } from "../kernel/life/loop.ts";
import { rolePauses } from "../kernel/life/pauses.ts";
import { type RoleContext, roleChannel, subscribeRole } from "../kernel/life/role.ts";
import { parallel, type Service, sequence, service } from "../kernel/life/service.ts";
import { workerReporter } from "../kernel/operator/worker_reports.ts";
import { createRedis } from "../kernel/redis/redis.ts";
import { redisAddress } from "../kernel/redis/redis_settings.ts";
import type { MatchmakingSettings } from "./config.ts";
import { countEnded } from "./ended_tickets.ts";
import { modeScripts } from "./mode_scripts.ts";
import { type ModeStore, modeStores } from "./mode_store.ts";
import { pauseStore } from "./operator/pause_store.ts";
import { matcher } from "./pairing/matcher.ts";
import { pairingMetrics } from "./pairing/pairing_metrics.ts";
import { unpairedFor } from "./pairing/unpaired.ts";
import { workerRecords, workerScripts } from "./worker_records.ts";

const mostExpired = 200;
const lookEvery = 1000;

/** `matchmaking:matcher`: pairs the waiting tickets, and ends those that have expired. Any number may run. */
export function matcherRole(kernel: KernelSettings, settings: MatchmakingSettings, context: RoleContext): Service {
  const { log, metrics, health, faults } = context;
  const { matcher: tuning } = settings;
  const redis = createRedis({
    ...redisAddress(settings),
    deadline: settings.redisDeadline,
    scripts: [...modeScripts, ...workerScripts],
    log,
    health,
    metrics,
  });
  const stores = [...modeStores(redis, settings, countEnded(metrics, log)).values()];
  const relay = roleChannel("matchmaking:relay");
  const counters = pairingMetrics(
    metrics,
    stores.map(({ mode }) => mode.name),
  );
  const modes = stores.map(store => ({ store, work: countWork() }));
  const pauses = rolePauses({ roles: [context.role], read: pauseStore(redis, settings.prefix).list, context });
  const isPaused = () => pauses.isPaused(context.role);
  const matchers = modes.map(mode => matcher({ ...mode, tuning, counters, faults, isPaused, paired: relay.wake, log, metrics }));

  const expiring = stores.map(store =>
    loop({
      name: `matchmaking.expire.${store.mode.name}`,
      async runOnce() {
        const { expired, invalid } = await store.expire(mostExpired);
        return expired + invalid;
      },
      full: mostExpired,
      interval: tuning.interval,
      log,
      metrics,
    }),
  );
  const looking = loop({
    name: "matchmaking.look",
    async runOnce() {
      await Promise.all(stores.map(counters.look));
      return 0;
    },
    full: Number.POSITIVE_INFINITY,
    interval: lookEvery,
    log,
    metrics,
  });
  /** Two wait whom the strategy pairs at once, and a matcher had time for it. */
  async function isDue(store: ModeStore): Promise<boolean> {
    return (unpairedFor(await store.depth(), store.mode.strategy, tuning.opens) ?? 0) > 4 * tuning.interval;
  }
  // Each mode is watched alone: another one that moves would hide that it stands still.
  const alive = modes.map(({ store, work }) =>
    liveness({
      context,
      of: store.mode.name,
      ...kernel.liveness,
      longestBatch: 1000,
      work,
      isPaused,
      isDue: () => isDue(store),
      answers: () => redis.send("PING"),
    }),
  );
  const wake = () => {
    for (const one of matchers) one.wake();
  };
  pauses.onChange(wake);
  const channel = service({ start: async () => {}, stop: async () => relay.close() });
  const reporting = workerReporter({ context, every: kernel.reportEvery, report: workerRecords(redis, settings.prefix).report });
  return sequence([
    channel,
    redis,
    reporting,
    pauses,
    subscribeRole(context, wake),
    parallel([...matchers, ...expiring, looking, ...alive]),
  ]);
}
