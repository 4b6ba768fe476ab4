import { expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { DeadlineError } from "../life/deadline.ts";
import { fixedLease, mayStart, renewedLease, settleWhileHeld, withinLease } from "./lease.ts";

const running = new AbortController().signal;
const away = () => Promise.reject(new DeadlineError("the database", 1));

test("a lease that is renewed lasts; one whose renewal fails ends", async () => {
  const lease = renewedLease(150);
  let isAway = false;
  let renewals = 0;
  lease.keepRenewing(() => {
    renewals++;
    return isAway ? away() : Promise.resolve(true);
  });
  await until("it was renewed three times", 2000, () => renewals >= 3);
  expect([lease.endsWithin(0), lease.ended.aborted]).toEqual([false, false]);
  isAway = true;
  await until("it has ended", 2000, () => lease.ended.aborted);
  expect(lease.endsWithin(0)).toBe(true);
  await lease.stopRenewing();
});

test("a lease whose rows another worker has claimed ends at once", async () => {
  const lease = renewedLease(300);
  lease.keepRenewing(async () => false);
  await until("it has ended", 2000, () => lease.ended.aborted);
  expect(lease.endsWithin(0)).toBe(false);
  await lease.stopRenewing();
});

test("the end of renewals waits for one under way, and none follows", async () => {
  const lease = renewedLease(100);
  const renewal = Promise.withResolvers<boolean>();
  let renewals = 0;
  lease.keepRenewing(() => {
    renewals++;
    return renewal.promise;
  });
  await until("a renewal is under way", 2000, () => renewals === 1);
  let isOver = false;
  const stopping = lease.stopRenewing().then(() => {
    isOver = true;
  });
  await Promise.resolve();
  expect(isOver).toBe(false);
  renewal.resolve(true);
  await stopping;
  expect(renewals).toBe(1);
});

test("a settlement is tried again while the database is away and the lease lasts; then a missing row may be settled", async () => {
  let tries = 0;
  const settle = async () => (++tries < 3 ? away() : ["row"]);
  expect(await settleWhileHeld(fixedLease(5000), running, settle)).toEqual({ rows: ["row"], isSure: false });
  expect(await settleWhileHeld(fixedLease(5000), running, async () => ["row"])).toEqual({ rows: ["row"], isSure: true });
});

test("a settlement is not tried again after the lease, nor if the database refuses it", async () => {
  let tries = 0;
  const settle = (error: unknown) => () => {
    tries++;
    return Promise.reject(error);
  };
  expect(settleWhileHeld(fixedLease(0), running, settle(new DeadlineError("the database", 1)))).rejects.toThrow("did not answer");
  const refused = Object.assign(new Error("refused"), { code: "22P02" });
  expect(settleWhileHeld(fixedLease(5000), running, settle(refused))).rejects.toBe(refused);
  expect(tries).toBe(2);
});

test("an attempt starts neither shortly before the lease ends nor after a stop has begun", () => {
  const lease = fixedLease(5000);
  expect([mayStart(lease, running, 4000), mayStart(lease, running, 6000)]).toEqual([true, false]);
  expect(mayStart(lease, AbortSignal.abort(), 0)).toBe(false);
  expect([withinLease(1000, 5000), withinLease(4000, 5000)]).toEqual([1000, 2500]);
});
