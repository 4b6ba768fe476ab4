import type { KernelSettings } from "../kernel/config/settings.ts";
import { countWork, liveness } from "../kernel/delivery/liveness.ts";
import { loop } from "../kernel/life/loop.ts";
import { rolePauses } from "../kernel/life/pauses.ts";
import { type RoleContext, roleChannel, subscribeRole } from "../kernel/life/role.ts";
import { parallel, type Service, sequence, service } from "../kernel/life/service.ts";
import { streamPublishing } from "../kernel/nats/stream_publishing.ts";
import { isConsumerIdle } from "../kernel/nats/streams.ts";
import { workerReporter } from "../kernel/operator/worker_reports.ts";
import { createRedis } from "../kernel/redis/redis.ts";
import { redisAddress } from "../kernel/redis/redis_settings.ts";
import type { MatchmakingSettings } from "./config.ts";
import { countEnded } from "./ended_tickets.ts";
import { modeScripts } from "./mode_scripts.ts";
import { type ModeStore, modeStores } from "./mode_store.ts";
import { pauseStore } from "./operator/pause_store.ts";
import { announcedAnswers } from "./outbox/announced_answers.ts";
import { announcements, page } from "./outbox/announcements.ts";
import { encodeMatch, type MatchEntry } from "./outbox/event.ts";
import { publishDeadline, relay } from "./outbox/relay.ts";
import { relayMetrics } from "./outbox/relay_metrics.ts";
import { observeStream, streamRecord } from "./outbox/stream_record.ts";
import { workerRecords, workerScripts } from "./worker_records.ts";

const lookEvery = 1000;
const forgetRelaysAfter = 600_000;

/** `matchmaking:relay`: publishes the matches to the stream, and keeps each until notification has announced it. Any number may run. */
export function relayRole(kernel: KernelSettings, settings: MatchmakingSettings, context: RoleContext): Service {
  const { log, metrics, health } = context;
  const { relay: tuning, stream, subject, consumer } = settings;
  const redis = createRedis({
    ...redisAddress(settings),
    deadline: settings.redisDeadline,
    scripts: [...modeScripts, ...workerScripts, observeStream],
    log,
    health,
    metrics,
  });
  const stores = [...modeStores(redis, settings, countEnded(metrics, log)).values()];
  const matcher = roleChannel("matchmaking:matcher");
  const counters = relayMetrics(metrics);
  const modes = stores.map(store => ({ store, work: countWork() }));
  const publishing = streamPublishing<MatchEntry>({
    name: "match",
    kernel,
    natsUrls: settings.natsUrls,
    context,
    stream: { name: stream, subject },
    publishWithin: publishDeadline(tuning),
    record: streamRecord(redis, settings.prefix, stores),
    encode: encodeMatch,
    requeued: count => {
      for (const { work } of modes) work.did(count);
      if (count > 0) wake();
    },
  });
  const { broker, checks, signatures } = publishing;
  const pauses = rolePauses({ roles: [context.role], read: pauseStore(redis, settings.prefix).list, context });
  const isPaused = () => pauses.isPaused(context.role);
  const relays = modes.map(mode => relay({ ...mode, isPaused, publishing, tuning, counters, context }));
  function wake(): void {
    for (const one of relays) one.wake();
  }

  const answers = announcedAnswers({ broker, subject: settings.announcedSubject, signatures, log, health, metrics });
  /** Modes with matches that notification was asked about. */
  const asking = new Set<string>();
  const confirming = stores.map(store => {
    const { runOnce } = announcements({
      store,
      ask(question) {
        asking.add(store.mode.name);
        return answers.ask(question);
      },
      nothingToAsk() {
        asking.delete(store.mode.name);
        if (asking.size === 0) answers.nothingToAsk();
      },
      checks,
      isConnected: broker.connected,
      isConsumerIdle: () => isConsumerIdle(broker.connection(), stream, consumer),
      overdue: tuning.overdue,
      counters,
      resent: wake,
      released: matcher.wake,
      log,
    });
    return loop({ name: `match.confirm.${store.mode.name}`, runOnce, full: page, interval: tuning.confirm, log, metrics });
  });
  const looking = loop({
    name: "match.depth",
    async runOnce() {
      await Promise.all(stores.map(async store => Promise.all([counters.look(store), store.forgetRelays(forgetRelaysAfter)])));
      return 0;
    },
    full: Number.POSITIVE_INFINITY,
    interval: lookEvery,
    log,
    metrics,
  });
  /** Not what another relay holds and tries again. */
  const isDue = async (store: ModeStore) => (await store.left(tuning.lease)) > 4 * tuning.poll;
  // Each mode is watched alone: another one that moves would hide that it stands still.
  const alive = modes.map(({ store, work }) =>
    liveness({
      context,
      of: store.mode.name,
      ...kernel.liveness,
      longestBatch: tuning.lease,
      work,
      isPaused,
      isDue: () => isDue(store),
      answers: publishing.storesByOwnConnection,
    }),
  );
  broker.onConnect(wake);
  pauses.onChange(wake);
  const channel = service({ start: async () => {}, stop: async () => matcher.close() });
  const loops = parallel([...relays, ...confirming, publishing.rechecking, looking, ...alive]);
  const reporting = workerReporter({ context, every: kernel.reportEvery, report: workerRecords(redis, settings.prefix).report });
  return sequence([channel, redis, reporting, broker, pauses, subscribeRole(context, wake), loops]);
}
