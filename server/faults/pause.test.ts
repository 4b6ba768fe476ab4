import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { allRoles, type TestKenri, testKenri } from "../testing/kenri.ts";
import { isPausedIn, pause, resume } from "../testing/pausing.ts";
import { disorderInStream } from "../testing/stream.ts";
import { traffic } from "../testing/traffic.ts";

const relay = "entitlement:relay";

const countOf = async (kenri: TestKenri, status: string) =>
  (await kenri.entitlementSql`select from outbox_events where status = ${status}`).length;
const accepted = (answers: ReadonlyMap<number, number>) => answers.get(200) ?? 0;

test.concurrent("a paused relay under load: what is under way ends, then nothing is published, also after kill -9; a resume publishes each once, in order", async () => {
  const kenri = await testKenri({ OUTBOX_LEASE: "1s", OUTBOX_PUBLISH_WITHIN: "400ms", LIVENESS_EVERY: "50ms", LIVENESS_LOOKS: "3" });
  closeAtEnd(kenri.close);
  const api = await kenri.start("entitlement:api");
  const first = await kenri.start(relay);
  await kenri.start("notification:consumer notification:sender");
  const load = traffic(kenri, { clients: 6, hot: 3, pause: 5 });
  await until("events are published", 20_000, async () => (await countOf(kenri, "PUBLISHED")) > 20);

  expect((await pause(kenri, relay)).paused).toMatchObject({ paused_by: "tester", reason: "maintenance" });
  await isPausedIn(relay, api, first);
  await until("what was under way has ended", 20_000, async () => (await countOf(kenri, "IN_FLIGHT")) === 0);
  const published = await countOf(kenri, "PUBLISHED");
  const before = accepted(load.ledger.answers);
  first.kill("SIGKILL");
  await first.exited;
  const second = await kenri.start(relay);
  await second.logged("role.paused");
  const looks = () => second.metric("kenri_loop_runs_total", `loop="${relay}.liveness"`);
  await until("it was looked at for longer than a stuck one lives", 20_000, async () => (await looks()) > 50);
  await until("grants go on", 20_000, () => accepted(load.ledger.answers) > before + 20);
  await load.stop();
  expect(await countOf(kenri, "PUBLISHED")).toBe(published);
  expect(
    await kenri.entitlementSql`select from outbox_events where status <> 'PUBLISHED' and (status <> 'PENDING' or attempt_count > 0)`,
  ).toHaveLength(0);
  expect([await second.metric("kenri_worker_stuck_total"), second.killedBy]).toEqual([0, null]);

  await resume(kenri, relay);
  await drained(kenri);
  expect(await findInconsistencies(kenri, load.ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
  expect(await kenri.entitlementSql`select action, subject from operator_actions order by action_id`).toEqual([
    { action: "role.pause", subject: relay },
    { action: "role.resume", subject: relay },
  ] as never);
});

test.concurrent("a paused consumer leaves events in the stream and nothing is sent again; a paused sender leaves notifications pending, also those of the consumer", async () => {
  // Overdue at once: if the consumer counted as idle, its events would be published again.
  const kenri = await testKenri({ OUTBOX_OVERDUE: "1s", NOTIFICATION_POLL: "1m" });
  closeAtEnd(kenri.close);
  const first = await kenri.start(allRoles);
  const notices = async () =>
    (await kenri.notificationSql`select status, attempt_count from notifications`).map(row => `${row.status} ${row.attempt_count}`);
  await kenri.grant("ann", "one");
  await until("it works", 20_000, async () => (await notices()).join() === "SENT 1");

  await pause(kenri, "notification:consumer");
  await isPausedIn("notification:consumer", first);
  await kenri.grant("ann", "two");
  await until(
    "it is published and overdue",
    20_000,
    async () =>
      (
        await kenri.entitlementSql`
    select from outbox_events where status = 'PUBLISHED' and confirmed_at is null and published_at < now() - interval '2 seconds'`
      ).length === 1,
  );
  const walks = async () => await first.metric("kenri_loop_runs_total", 'loop="outbox.reconcile"');
  const before = await walks();
  await until("the reconciler has asked", 10_000, async () => (await walks()) > before + 2);
  expect([await notices(), await first.metric("kenri_outbox_missing_resent_total")]).toEqual([["SENT 1"], 0]);
  // The questions of the reconciler are answered, so it is no trouble.
  expect(await kenri.readiness("entitlement")).toEqual({ status: "ready", database: "ok" } as never);
  expect(await kenri.readiness("notification")).toMatchObject({
    status: "ready",
    paused: { "notification:consumer": expect.stringMatching(/^paused by tester since 20.*: maintenance$/) },
  });

  await pause(kenri, "notification:sender");
  await isPausedIn("notification:sender", first);
  await resume(kenri, "notification:consumer");
  await until("it is consumed", 10_000, async () => (await notices()).join() === "SENT 1,PENDING 0");
  expect(await first.stop()).toBe(0);
  const second = await kenri.start(allRoles);
  await second.logged("role.paused");
  await kenri.grant("ann", "three");
  await until("the third is consumed too", 20_000, async () => (await notices()).length === 3);
  expect((await notices()).toSorted()).toEqual(["PENDING 0", "PENDING 0", "SENT 1"]);
  await resume(kenri, "notification:sender");
  // Without a poll of a minute: the resume wakes the sender.
  await until("all are sent", 10_000, async () => (await notices()).join() === "SENT 1,SENT 1,SENT 1");
});
