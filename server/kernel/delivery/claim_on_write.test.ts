import { expect, test } from "bun:test";
import { silentLog } from "../telemetry/log.ts";
import { type Claim, claimOnWrite, type Written } from "./claim_on_write.ts";

/** First attempts that the test ends, and how often the others were woken. */
function underTest(atOnce = 1) {
  const claims: Claim<string>[] = [];
  const seen = { woken: 0, ready: true };
  let end = Promise.withResolvers<void>();
  const attempts = claimOnWrite<string>({
    worker: "w",
    lease: 2000,
    renew: async () => true,
    lost: { watch: (_token, statement) => statement() },
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
  const write = (...rows: string[]) =>
    attempts.write(async ({ worker, token, lease_seconds }): Promise<Written<string, boolean>> => {
      const isClaimed = token !== null;
      expect([worker, lease_seconds]).toEqual(isClaimed ? ["w", 2] : [null, null]);
      return { claimed: isClaimed ? rows : [], hasUnclaimed: !isClaimed && rows.length > 0, result: isClaimed };
    });
  const finish = async (error?: Error) => {
    if (error) end.reject(error);
    else end.resolve();
    await new Promise(resolve => setImmediate(resolve));
    end = Promise.withResolvers();
  };
  return { attempts, claims, seen, write, finish };
}

test("what is written is claimed and attempted with the token of its claim, and nobody waits for the attempt", async () => {
  const { claims, seen, write } = underTest();
  expect(await write("a", "b")).toBe(true);
  expect(claims).toMatchObject([{ rows: ["a", "b"] }]);
  expect(seen.woken).toBe(0);
});

test("while one is under way the rest is left to the others, who hear of it at once and again when the attempt has ended", async () => {
  const { seen, write, finish } = underTest();
  await write("a");
  expect(await write("b")).toBe(false);
  expect(seen.woken).toBe(1);
  await finish();
  expect(seen.woken).toBe(2);
  expect(await write("c")).toBe(true);
  await finish();
  expect(seen.woken).toBe(2);
});

test("of two claims at once each has its own token", async () => {
  const { claims, write } = underTest(2);
  expect([await write("a"), await write("b"), await write("c")]).toEqual([true, true, false]);
  expect(new Set(claims.map(({ token }) => token)).size).toBe(2);
});

test("nothing is claimed where none may be under way, and while it is not ready", async () => {
  expect(await underTest(0).write("a")).toBe(false);
  const { seen, write } = underTest();
  seen.ready = false;
  expect(await write("a")).toBe(false);
});

test("a statement that fails, one that wrote nothing and an attempt that fails make room for the next", async () => {
  const { attempts, write, finish } = underTest();
  expect(
    await attempts
      .write(() => Promise.reject(new Error("no")))
      .then(
        () => "",
        error => error.message,
      ),
  ).toBe("no");
  expect(await write()).toBe(true);
  expect(await write("a")).toBe(true);
  await finish(new Error("the database is away"));
  expect(await write("b")).toBe(true);
});

test("once a stop begins nothing more is claimed, and the stop waits for what is under way", async () => {
  const { attempts, write, finish } = underTest();
  await attempts.start();
  await write("a");
  let isStopped = false;
  const stopping = attempts.stop().then(() => {
    isStopped = true;
  });
  expect(await write("b")).toBe(false);
  expect(isStopped).toBe(false);
  await finish();
  await stopping;
  expect(await write("c")).toBe(false);
});

test("a stop waits for a statement under way that may have claimed", async () => {
  const { attempts, claims } = underTest();
  await attempts.start();
  const statement = Promise.withResolvers<Written<string, string>>();
  const writing = attempts.write(() => statement.promise);
  const stopping = attempts.stop();
  statement.resolve({ claimed: ["a"], hasUnclaimed: false, result: "written" });
  expect(await writing).toBe("written");
  await stopping;
  expect(claims).toHaveLength(1);
});

test("a stop does not wait for ever: the lease ends", async () => {
  const { attempts, write } = underTest();
  await attempts.start();
  await write("a");
  await attempts.stop();
});
