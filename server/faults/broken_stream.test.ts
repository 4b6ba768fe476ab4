import { expect } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { DiscardPolicy, type JetStreamApiError } from "@nats-io/jetstream";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { counted } from "../testing/counted.ts";
import { testServer } from "../testing/databases.ts";
import { type TestKenri, testKenri } from "../testing/kenri.ts";
import { privateServers } from "../testing/servers.ts";
import { disorderInStream, putOnStream, streamOf, withNats } from "../testing/stream.ts";
import { countOf, traffic } from "../testing/traffic.ts";

// How long the stream stays broken. A full run: BROKEN_STREAM_SECONDS=60.
const brokenFor = Number(process.env.BROKEN_STREAM_SECONDS ?? 5) * 1000;

async function underLoad() {
  const servers = await privateServers("nats");
  const kenri = await testKenri(
    { OUTBOX_LEASE: "2s", OUTBOX_OVERDUE: "2s", CONSUMER_ACK_WAIT: "2s" },
    { postgresUrl: testServer(), natsUrl: servers.nats.url },
  );
  closeAtEnd(async () => {
    await kenri.close();
    await servers.stop();
  });
  await kenri.start("entitlement notification");
  const load = traffic(kenri, { pause: 60 });
  await until(
    "the pipeline runs",
    60_000,
    async () => (await kenri.notificationSql`select from notifications where status = 'SENT'`).length > 20,
  );
  load.ledger.answers.clear(); // several systems start at once on one machine: only later answers are checked
  return { kenri, servers, load };
}
type Running = Awaited<ReturnType<typeof underLoad>>;

const charged = async ({ entitlementSql }: TestKenri) =>
  (
    await entitlementSql`select event_id, status, attempt_count, last_error from outbox_events where attempt_count > 0 or last_error is not null`
  ).length;

/** The breaker in /ops/health. */
async function publishing(kenri: TestKenri): Promise<string> {
  const { breakers } = (await (await kenri.call("entitlement", "/ops/health")).json()) as {
    breakers: { name: string; detail: string | null }[];
  };
  return breakers.find(({ name }) => name === "publish")?.detail ?? "";
}

/** While the stream is broken: grants continue, no attempt is charged, and health names the cause. After the repair everything is delivered. */
async function survives({ kenri, load }: Running, cause: RegExp, breakIt: () => Promise<void>, repair: () => Promise<void>): Promise<void> {
  await breakIt();
  const since = performance.now();
  const before = countOf(load.ledger.granted);
  await until("health names the cause", 15_000, async () => cause.test(await publishing(kenri)));
  await until(
    "it was broken for a while, with grants all the time",
    brokenFor + 60_000,
    () => performance.now() - since > brokenFor && countOf(load.ledger.granted) > before + 100,
  );
  expect(await publishing(kenri)).toMatch(cause);
  expect(await charged(kenri)).toBe(0);
  expect((await kenri.entitlementSql`select from outbox_events where status = 'PENDING'`).length).toBeGreaterThan(50);
  await repair();
  const ledger = await load.stop();
  await drained(kenri);
  expect([...ledger.answers.keys()]).toEqual([200]);
  expect(await charged(kenri)).toBe(0);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
  expect(await kenri.notificationSql`select from notification_nats_dlq`).toHaveLength(0);
  await until("health is well again", 15_000, async () => (await publishing(kenri)) === "");
}

/** NATS keeps writing into a deleted file that it has open. When that file is full, it must create the next one. */
async function fillFile(kenri: TestKenri): Promise<void> {
  const filler = new Uint8Array(1_000_000);
  await until("NATS cannot store any more", 20_000, () =>
    putOnStream(kenri, filler, { "Kenri-Probe": "1" }).then(
      () => false,
      error => (error as JetStreamApiError).code === 10077,
    ),
  );
}

test.concurrent("the store files of a running NATS are deleted, and NATS is restarted later: no attempt is charged, nothing is lost, health names the cause", async () => {
  const running = await underLoad();
  const { nats, dir } = running.servers;
  await survives(
    running,
    /^JetStream does not store: .*no such file or directory \(10077\)$/,
    async () => {
      rmSync(join(dir, "nats", "jetstream"), { recursive: true, force: true });
      await fillFile(running.kenri);
    },
    async () => {
      await nats.halt();
      await nats.start();
    },
  );
});

test.concurrent("the stream is full: no attempt is charged, health names the cause, and everything is delivered when it has room", async () => {
  const running = await underLoad();
  const { kenri } = running;
  // A number of messages, not of bytes: with room for the content of a message but not for its record, NATS 2.9 stores it and deletes the oldest.
  const limit = (messages: number) =>
    withNats(kenri, async (_, { streams }) => {
      const { config } = await streams.info(streamOf(kenri));
      await streams.update(streamOf(kenri), { ...config, max_msgs: messages, discard: DiscardPolicy.New });
    });
  await survives(
    running,
    /^JetStream does not store: maximum messages exceeded \(10077\)$/,
    async () => {
      const { state } = await withNats(kenri, async (_, { streams }) => streams.info(streamOf(kenri)));
      await limit(state.messages);
    },
    () => limit(-1),
  );
  await counted(1, () => kenri.metric("notification", "kenri_intake_events_total", 'outcome="probe"'));
});

test.concurrent("the stream is sealed and deleted later: no attempt is charged, health names the cause, and everything is delivered by a new stream", async () => {
  const running = await underLoad();
  const { kenri } = running;
  await survives(
    running,
    /^JetStream does not store: .*sealed.* \(10109\)$/,
    () =>
      withNats(kenri, async (_, { streams }) => {
        const { config } = await streams.info(streamOf(kenri));
        await streams.update(streamOf(kenri), Object.assign(config, { sealed: true }));
      }),
    () => withNats(kenri, async (_, { streams }) => void (await streams.delete(streamOf(kenri)))),
  );
  await counted(1, () => kenri.metric("entitlement", "kenri_outbox_stream_losses_total"));
});

test.concurrent("the stream has another subject for a while: no attempt is charged, health names the cause, and everything is delivered when the subject is back", async () => {
  const running = await underLoad();
  const { kenri } = running;
  const take = (subject: string) =>
    withNats(kenri, async (_, { streams }) => {
      const { config } = await streams.info(streamOf(kenri));
      await streams.update(streamOf(kenri), { ...config, subjects: [subject] });
    });
  await survives(
    running,
    /^JetStream does not store: no stream takes the subject \(503\)$/,
    () => take("somewhere.else"),
    () => take(kenri.environment.ENTITLEMENT_SUBJECT!),
  );
});

test.concurrent("another stream has the subject: nothing is published to it, and everything is delivered by the right one later", async () => {
  const running = await underLoad();
  const { kenri } = running;
  const subject = kenri.environment.ENTITLEMENT_SUBJECT!;
  const take = (subjects: string[]) =>
    withNats(kenri, async (_, { streams }) => {
      const { config } = await streams.info(streamOf(kenri));
      await streams.update(streamOf(kenri), { ...config, subjects });
    });
  await survives(
    running,
    /^JetStream does not store: .* \((503|10060)\)$/,
    async () => {
      await take(["somewhere.else"]);
      await withNats(kenri, async (_, { streams }) => void (await streams.add({ name: "another", subjects: [subject] })));
    },
    async () => {
      await withNats(kenri, async (_, { streams }) => {
        expect((await streams.info("another")).state.messages).toBe(0);
        await streams.delete("another");
      });
      await take([subject]);
    },
  );
});
