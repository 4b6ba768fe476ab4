import { expect, test } from "bun:test";
import { silentLog } from "../telemetry/log.ts";
import { type Claim, claimOnWrite } from "./claim_on_write.ts";

/** First attempts that the test ends, and how often the worker was woken. */
function underTest(atOnce = 1) {
  const claims: Claim<string>[] = [];
  const failures: [token: string, error: unknown][] = [];
  const seen = { woken: 0, ready: true };
  let end = Promise.withResolvers<void>();
  const attempts = claimOnWrite<string>({
    worker: "w",
    lease: 2000,
    renew: async () => true,
    lost: { failed: (token, error) => void failures.push([token, error]) },
    atOnce,
    isReady: () => seen.ready,
    stopWithin: 200,
    deliver(claim) {
      claims.push(claim);
      return end.promise;
    },
    wakeOthers: () => void seen.woken++,
    log: silentLog,
  });
  /** Writes rows, all claimed if any may be, and says whether they were. */
  const write = (...rows: string[]): boolean => {
    const reserved = attempts.reserve();
    const { worker, token, lease_seconds } = reserved.claiming;
    const isClaimed = token !== null;
    expect([worker, lease_seconds]).toEqual(isClaimed ? ["w", 2] : [null, null]);
    reserved.start(isClaimed ? rows : [], !isClaimed && rows.length > 0);
    if (isClaimed && rows.length > 0) expect(claims.at(-1)?.token).toBe(token);
    return isClaimed;
  };
  const finish = async (error?: Error) => {
    if (error) end.reject(error);
    else end.resolve();
    await new Promise(resolve => setImmediate(resolve));
    end = Promise.withResolvers();
  };
  return { attempts, claims, failures, seen, write, finish };
}

test("a written row is claimed, and its attempt starts with the token of the claim; the writer does not wait for it", async () => {
  const { claims, seen, write } = underTest();
  expect(write("a", "b")).toBe(true);
  expect(claims).toMatchObject([{ rows: ["a", "b"] }]);
  expect(seen.woken).toBe(0);
});

test("during an attempt further rows are not claimed; the worker is woken at once, and again when the attempt has ended", async () => {
  const { seen, write, finish } = underTest();
  write("a");
  expect(write("b")).toBe(false);
  expect(seen.woken).toBe(1);
  await finish();
  expect(seen.woken).toBe(2);
  expect(write("c")).toBe(true);
  await finish();
  expect(seen.woken).toBe(2);
});

test("of two attempts under way each wakes the worker once more, and later ones do not", async () => {
  const ends: (() => void)[] = [];
  let woken = 0;
  const attempts = claimOnWrite<string>({
    worker: "w",
    lease: 2000,
    renew: async () => true,
    lost: { failed: () => {} },
    atOnce: 2,
    stopWithin: 200,
    deliver: () => new Promise<void>(resolve => void ends.push(resolve)),
    wakeOthers: () => void woken++,
    log: silentLog,
  });
  const write = (row: string, hasUnclaimed = false) => attempts.reserve().start([row], hasUnclaimed);
  const end = async (n: number) => {
    ends[n]!();
    await new Promise(resolve => setImmediate(resolve));
  };
  write("a");
  write("b");
  write("c", true); // two are under way: it is not claimed
  expect(woken).toBe(1);
  await end(0);
  expect(woken).toBe(2);
  write("d");
  await end(1);
  expect(woken).toBe(3);
  await end(2);
  expect(woken).toBe(3);
});

test("two claims at once have two tokens", async () => {
  const { claims, write } = underTest(2);
  expect([write("a"), write("b"), write("c")]).toEqual([true, true, false]);
  expect(new Set(claims.map(({ token }) => token)).size).toBe(2);
});

test("nothing is claimed if no attempt is allowed, or while it is not ready", () => {
  expect(underTest(0).write("a")).toBe(false);
  const { seen, write } = underTest();
  seen.ready = false;
  expect(write("a")).toBe(false);
});

test("the next statement may claim after one that failed, after one that wrote nothing and after an attempt that failed", async () => {
  const { attempts, failures, write, finish } = underTest();
  const [reserved, error] = [attempts.reserve(), new Error("no")];
  reserved.fail(error);
  expect(failures).toEqual([[reserved.claiming.token!, error]]);
  expect(write()).toBe(true);
  expect(write("a")).toBe(true);
  await finish(new Error("the database is away"));
  expect(write("b")).toBe(true);
});

test("after a stop has begun nothing is claimed, and the stop waits for the attempt under way", async () => {
  const { attempts, write, finish } = underTest();
  await attempts.start();
  write("a");
  let isStopped = false;
  const stopping = attempts.stop().then(() => {
    isStopped = true;
  });
  expect(write("b")).toBe(false);
  expect(isStopped).toBe(false);
  await finish();
  await stopping;
  expect(write("c")).toBe(false);
});

test("a stop waits for a statement under way that may claim, and for its attempt", async () => {
  const { attempts, claims, finish } = underTest();
  await attempts.start();
  const reserved = attempts.reserve();
  let isStopped = false;
  const stopping = attempts.stop().then(() => {
    isStopped = true;
  });
  await Promise.resolve();
  expect(isStopped).toBe(false);
  reserved.start(["a"], false);
  await Promise.resolve();
  expect(isStopped).toBe(false);
  await finish();
  await stopping;
  expect(claims).toHaveLength(1);
});

test("a stop waits only for its limit: the lease ends", async () => {
  const { attempts, write } = underTest();
  await attempts.start();
  write("a");
  await attempts.stop();
});

test("a reservation ends once: a failure after its start changes nothing", async () => {
  const { attempts, failures, write, finish } = underTest();
  const reserved = attempts.reserve();
  reserved.start(["a"], false);
  reserved.fail(new Error("too late"));
  reserved.start(["b"], true);
  expect([failures, write("c")]).toEqual([[], false]);
  await finish();
  expect(write("d")).toBe(true);
});
