import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { counted } from "../testing/counted.ts";
import { type TestKenri, testKenri } from "../testing/kenri.ts";
import { traffic } from "../testing/traffic.ts";

/** Everything but the senders, with a backlog of 30 notifications. One claim takes them all, and the sends end well before the lease. */
async function waiting() {
  const kenri = await testKenri({
    NOTIFICATION_FIRST_ATTEMPT: "sender",
    NOTIFICATION_LEASE: "3s",
    NOTIFICATION_LANES: "1",
    NOTIFICATION_SEND_WITHIN: "500ms",
    HEALTH_PORT: "0",
  });
  closeAtEnd(kenri.close);
  await kenri.start("entitlement:api entitlement:relay notification:consumer");
  const load = traffic(kenri, { clients: 4, hot: 1, pause: 0, requests: 30 });
  await load.done;
  const { ledger } = load;
  await until("30 notifications wait", 20_000, async () => (await kenri.notificationSql`select from notifications`).length === 30);
  return { kenri, ledger };
}

const heldBy = async ({ notificationSql }: TestKenri, { pid }: { pid: number }) =>
  (await notificationSql`select from notifications where locked_by like ${`%/${pid}/%`}`).length;
const attempts = async ({ notificationSql }: TestKenri) => (await notificationSql`select from delivery_attempts`).length;

test.concurrent("a sender that resumes after its lease settles nothing and is counted as fenced; another one did its work", async () => {
  const { kenri, ledger } = await waiting();
  const zombie = await kenri.start("notification:sender", { FAULT_STOP_AT: "notification.sent" });
  await zombie.hung();
  const held = await heldBy(kenri, zombie);
  expect(held).toBe(30);
  const other = await kenri.start("notification:sender");
  await drained(kenri);
  expect(await counted(held, () => other.metric("kenri_notifications_reclaimed_total"))).toBe(held);
  zombie.kill("SIGCONT");
  expect(await zombie.logged("notification.fenced")).toContain('"what":"settle"');
  expect(await counted(held, () => zombie.metric("kenri_notifications_fenced_total"))).toBe(held);
  expect(await zombie.metric("kenri_notifications_total")).toBe(0);
  expect(await attempts(kenri)).toBe(30);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
});

test.concurrent("a sender that hung before its first send sends nothing when it resumes", async () => {
  const { kenri, ledger } = await waiting();
  const zombie = await kenri.start("notification:sender", { FAULT_STOP_AT: "notification.claimed" });
  await zombie.hung();
  await kenri.start("notification:sender");
  await drained(kenri);
  zombie.kill("SIGCONT");
  expect(await zombie.logged("notification.fenced")).toContain('"what":"release"');
  expect(zombie.lines.filter(line => line.includes("notification.sent"))).toEqual([]);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
});

test.concurrent("a sender killed after its sends: they are sent again, and each is one inbox row", async () => {
  const { kenri, ledger } = await waiting();
  const victim = await kenri.start("notification:sender", { FAULT_KILL_AT: "notification.sent" });
  await victim.killedItself();
  const sent = victim.lines.filter(line => line.includes('"msg":"notification.sent"')).length;
  expect(sent).toBe(30);
  expect(await heldBy(kenri, victim)).toBe(30);
  const next = await kenri.start("notification:sender");
  await drained(kenri);
  expect(await counted(30, () => next.metric("kenri_notifications_reclaimed_total"))).toBe(30);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  // No attempt is charged: it is unknown whether one was made.
  expect(await kenri.notificationSql`select from notifications where attempt_count <> 1`).toHaveLength(0);
});
