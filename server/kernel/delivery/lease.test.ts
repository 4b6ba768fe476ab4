import { expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { DeadlineError } from "../life/deadline.ts";
import { fixedLease, renewedLease, settleWhileHeld } from "./lease.ts";

const running = new AbortController().signal;
const away = () => Promise.reject(new DeadlineError("the database", 1));

test("a lease that is renewed lasts; one whose renewal fails ends", async () => {
  const lease = renewedLease(150);
  let isAway = false;
  let renewals = 0;
  lease.keepUp(() => {
    renewals++;
    return isAway ? away() : Promise.resolve(true);
  });
  await until("it was renewed three times", 2000, () => renewals >= 3);
  expect([lease.endsWithin(0), lease.ended.aborted]).toEqual([false, false]);
  isAway = true;
  await until("it has ended", 2000, () => lease.ended.aborted);
  expect(lease.endsWithin(0)).toBe(true);
  await lease.letGo();
});

test("a lease that somebody else has taken ends at once", async () => {
  const lease = renewedLease(300);
  lease.keepUp(async () => false);
  await until("it has ended", 2000, () => lease.ended.aborted);
  expect(lease.endsWithin(0)).toBe(false);
  await lease.letGo();
});

test("letting go waits for a renewal under way, and there is none after it", async () => {
  const lease = renewedLease(100);
  const renewal = Promise.withResolvers<boolean>();
  let renewals = 0;
  lease.keepUp(() => {
    renewals++;
    return renewal.promise;
  });
  await until("a renewal is under way", 2000, () => renewals === 1);
  let isOver = false;
  const letting = lease.letGo().then(() => {
    isOver = true;
  });
  await Promise.resolve();
  expect(isOver).toBe(false);
  renewal.resolve(true);
  await letting;
  expect(renewals).toBe(1);
});

test("a settlement is made again while the database is away and the lease lasts, and says that it is not sure what is missing", async () => {
  let tries = 0;
  const settle = async () => (++tries < 3 ? away() : ["row"]);
  expect(await settleWhileHeld(fixedLease(5000), running, settle)).toEqual({ rows: ["row"], isSure: false });
  expect(await settleWhileHeld(fixedLease(5000), running, async () => ["row"])).toEqual({ rows: ["row"], isSure: true });
});

test("a settlement is not made again after the lease, nor if the database refuses it", async () => {
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
