import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { counted } from "../testing/counted.ts";
import { testKenri } from "../testing/kenri.ts";
import { traffic } from "../testing/traffic.ts";

/** Everything but a consumer. The claim for a first attempt has a lease of one second. */
async function withoutConsumer() {
  const kenri = await testKenri({ CONSUMER_ACK_WAIT: "2s", NOTIFICATION_SEND_WITHIN: "500ms", HEALTH_PORT: "0" });
  closeAtEnd(kenri.close);
  const others = await kenri.start("entitlement:api entitlement:relay notification:sender");
  return { kenri, others };
}

for (const point of ["notification.claimed", "notification.sent", "notification.settled"])
  test.concurrent(`a consumer killed in its first attempt at ${point}: the sender does the rest, each is sent once and in order`, async () => {
    const { kenri, others } = await withoutConsumer();
    const victim = await kenri.start("notification:consumer", { FAULT_KILL_AT: point });
    const load = traffic(kenri, { clients: 4, hot: 1, pause: 0, requests: 60 });
    await victim.killedItself();
    const held = await kenri.notificationSql`select from notifications where locked_by like ${`%/${victim.pid}/%`}`;
    expect(held.length > 0).toBe(point !== "notification.settled");
    await kenri.start("notification:consumer");
    await load.done;
    await drained(kenri);
    expect(await findInconsistencies(kenri, load.ledger)).toEqual([]);
    await counted(held.length, () => others.metric("kenri_notifications_reclaimed_total"));
    // No attempt is charged: it is unknown whether one was made.
    expect(await kenri.notificationSql`select from notifications where attempt_count <> 1`).toHaveLength(0);
  });

test.concurrent("a consumer that resumes after the lease of its first attempt changes nothing, and is counted as fenced", async () => {
  const { kenri, others } = await withoutConsumer();
  const zombie = await kenri.start("notification:consumer", { FAULT_STOP_AT: "notification.sent" });
  const load = traffic(kenri, { clients: 4, hot: 1, pause: 0, requests: 60 });
  await zombie.hung();
  await kenri.start("notification:consumer");
  await load.done;
  await until("its claims are taken back", 20_000, async () => (await others.metric("kenri_notifications_reclaimed_total")) > 0);
  zombie.kill("SIGCONT");
  await zombie.logged("notification.fenced");
  await drained(kenri);
  expect(await kenri.notificationSql`select from notification_attempts`).toHaveLength(60);
  expect(await findInconsistencies(kenri, load.ledger)).toEqual([]);
});
