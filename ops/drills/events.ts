import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { DiscardPolicy, type JetStreamApiError, jetstream } from "@nats-io/jetstream";
import { headers } from "@nats-io/transport-node";
import { entitlementEvents } from "../../server/contracts/entitlement_events.ts";
import { signedHeaders } from "../../server/testing/events.ts";
import { defaultNames } from "../../stack/nats_permissions.ts";
import { until } from "../../stack/wait.ts";
import type { Drills } from "./drill.ts";
import { restartOften } from "./processes.ts";
import type { Stage } from "./stage.ts";
import { inNats } from "./stores.ts";
import { grant } from "./users.ts";

const stream = defaultNames(entitlementEvents.stream);
const subject = defaultNames(entitlementEvents.subject);
const waiting = "max(kenri_outbox_oldest_pending_seconds) > 10";
const losses = "sum(kenri_outbox_stream_losses_total)";

/** Changes the stream of entitlement events. */
const changeStream = (stage: Stage, change: (messages: number) => object) =>
  inNats(stage, async ({ streams }) => {
    const { config, state } = await streams.info(stream);
    await streams.update(stream, { ...config, ...change(state.messages) });
  });

/** NATS keeps writing into a deleted file that it has open. When that file is full, it must create the next one. */
const fillFile = (stage: Stage) =>
  inNats(stage, async (_, nats) => {
    const filler = new Uint8Array(1_000_000);
    const environment = { ENTITLEMENT_SUBJECT: subject, EVENT_SIGNING_KEYS: stage.setting("EVENT_SIGNING_KEYS") };
    const map = headers();
    for (const [name, value] of Object.entries(signedHeaders(environment, filler, { "Kenri-Probe": "1" }))) map.set(name, value);
    await until("NATS cannot store any more", 60_000, () =>
      jetstream(nats)
        .publish(subject, filler, { headers: map })
        .then(
          () => false,
          error => (error as JetStreamApiError).code === 10077,
        ),
    );
  });

/** The users of NATS are read again. */
function changeUsers(stage: Stage, change: (text: string) => string): void {
  const file = join(stage.servers.dir, "nats.users.conf");
  writeFileSync(file, change(readFileSync(file, "utf8")));
  stage.servers.nats.kill("SIGHUP");
}
const password = (text: string) => `password: ${text} # drill`;

export const eventDrills: Drills = {
  "relay-killed": {
    what: "the process of entitlement with its relay is killed five times",
    apart: ["entitlement"],
    cause: stage => restartOften(stage, "entitlement", "entitlement:relay"),
    traffic: stage => grant(stage),
    moves: 'max(changes(kenri_start_time_seconds{role="entitlement:relay"}[1m]))',
    alert: "KenriProcessRestarts",
    labels: { system: "entitlement", role: "entitlement:relay" },
    repair() {}, // it is not killed any more
  },
  "worker-stuck": {
    what: "the relay hangs with due work; it is started again",
    settings: { OUTBOX_FIRST_ATTEMPT: "relay", LIVENESS_EVERY: "500ms" },
    cause: async stage => void (await stage.call("entitlement", "PUT", "/debug/faults", { user_prefix: "", stick: true })),
    traffic: stage => grant(stage),
    moves: 'sum(kenri_worker_stuck_total{role="entitlement:relay"})',
    alert: "KenriWorkerStuck",
    labels: { system: "entitlement", role: "entitlement:relay" },
    repair() {}, // it repaired itself
  },
  "nats-away": {
    what: "NATS hangs; grants go on and events wait",
    cause: stage => stage.servers.nats.pause(),
    traffic: stage => grant(stage),
    moves: waiting,
    alert: "KenriOutboxOld",
    repair: stage => stage.servers.nats.resume(),
  },
  "stream-full": {
    what: "the stream has reached its limit; grants go on and events wait",
    // A limit of bytes does not always refuse: with room for a message's content but not for its record, NATS 2.9 stores it and deletes the oldest.
    cause: stage => changeStream(stage, messages => ({ max_msgs: Math.max(messages, 1), discard: DiscardPolicy.New })),
    traffic: stage => grant(stage),
    moves: waiting,
    alert: "KenriOutboxOld",
    repair: stage => changeStream(stage, () => ({ max_msgs: -1 })),
  },
  "stream-broken": {
    what: "the files of JetStream are deleted while it runs",
    async cause(stage) {
      rmSync(join(stage.servers.dir, "nats", "jetstream"), { recursive: true, force: true });
      await fillFile(stage);
    },
    traffic: stage => grant(stage),
    moves: waiting,
    alert: "KenriOutboxOld",
    async repair(stage) {
      await stage.servers.nats.halt();
      await stage.servers.nats.start();
    },
  },
  "stream-changed": {
    what: "the stream loses its subject; nothing is published elsewhere",
    cause: stage => changeStream(stage, () => ({ subjects: ["somewhere.else"] })),
    traffic: stage => grant(stage),
    moves: waiting,
    alert: "KenriOutboxOld",
    repair: stage => changeStream(stage, () => ({ subjects: [subject] })),
  },
  "stream-deleted": {
    what: "the stream is deleted; the relay makes it again and publishes what is missing",
    cause: stage => inNats(stage, async ({ streams }) => void (await streams.delete(stream))),
    traffic: stage => grant(stage),
    moves: losses,
    alert: "KenriStreamLostMessages",
    repair() {}, // it repaired itself
  },
  "stream-lost": {
    what: "NATS is killed and comes back with an empty store",
    async cause(stage) {
      await stage.servers.nats.halt();
      stage.servers.nats.wipe();
      await stage.servers.nats.start();
    },
    traffic: stage => grant(stage),
    moves: losses,
    alert: "KenriStreamLostMessages",
    repair() {}, // it repaired itself
  },
  "event-unencodable": {
    what: "an event uses up its attempts; it is requeued after the repair",
    settings: { OUTBOX_MAX_ATTEMPTS: "2" },
    async cause(stage) {
      await stage.call("entitlement", "PUT", "/debug/faults", { user_prefix: "unlucky" });
      await grant(stage, "unlucky");
    },
    moves: 'max(kenri_outbox_depth{state="failed"})',
    alert: "KenriOutboxFailed",
    async repair(stage) {
      await stage.call("entitlement", "PUT", "/debug/faults", { user_prefix: "" });
      const { events } = (await stage.call("entitlement", "GET", "/ops/outbox?status=FAILED")) as { events: { event_id: string }[] };
      for (const { event_id } of events)
        await stage.call("entitlement", "POST", `/ops/outbox/${event_id}/requeue`, { reason: "drill: the cause is repaired" });
    },
  },
  "nats-refuses": {
    what: "NATS has other passwords for entitlement",
    cause: stage =>
      changeUsers(stage, text =>
        text.replace(/password: (\$KENRI_NATS_ENTITLEMENT_\w+)/g, (_, variable: string) => password(`wrong-${variable.slice(1)}`)),
      ),
    traffic: stage => grant(stage),
    moves: 'sum(kenri_nats_refused_total{system="entitlement"})',
    alert: "KenriRefusedByNats",
    labels: { system: "entitlement" },
    repair: stage => changeUsers(stage, text => text.replace(/password: wrong-(\w+) # drill/g, "password: $$$1")),
  },
};
