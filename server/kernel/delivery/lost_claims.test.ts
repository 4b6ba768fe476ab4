import { afterEach, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { DeadlineError } from "../life/deadline.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { type LostClaims, lostClaims } from "./lost_claims.ts";

let claims: LostClaims | undefined;
afterEach(() => claims?.stop());

/** Claims of a database that holds these tokens, and answers when it is not away. */
async function underTest(...held: string[]) {
  const seen = { asked: [] as string[][], tries: 0, woken: 0, isAway: false };
  claims = lostClaims({
    name: "test",
    lease: 1000,
    async release({ token }) {
      seen.tries++;
      if (seen.isAway) throw new DeadlineError("the database", 1);
      seen.asked.push([...token]);
      return token.filter(one => held.includes(one)).map(claim_token => ({ claim_token }));
    },
    released: () => void seen.woken++,
    log: silentLog,
    metrics: createMetrics(),
  });
  await claims.start();
  return { claims, seen, held };
}

const failing = (error: unknown) => () => Promise.reject(error);
const cut = Object.assign(new Error("terminated"), { code: "57P01" });

test("a claim that got no answer is put back as soon as the database answers, and the others are told", async () => {
  const { claims, seen } = await underTest("a");
  seen.isAway = true;
  expect(claims.watch("a", failing(cut))).rejects.toBe(cut);
  await until("it was asked while away", 2000, () => seen.tries >= 2);
  seen.isAway = false;
  await until("it is put back", 2000, () => seen.woken === 1);
  expect(seen.asked).toEqual([["a"]]);
});

test("one that commits after all is found later", async () => {
  const { claims, seen, held } = await underTest();
  await claims.watch("a", failing(new DeadlineError("claim", 1))).catch(() => {});
  await until("it was looked for", 2000, () => seen.asked.length > 0);
  held.push("a");
  await until("it is put back", 2000, () => seen.woken === 1);
});

test("what was answered, or refused by the database, is left alone", async () => {
  const { claims, seen } = await underTest("a", "b", "c");
  expect(await claims.watch("a", async () => 1)).toBe(1);
  await claims.watch("b", failing(Object.assign(new Error("duplicate key"), { code: "23505" }))).catch(() => {});
  claims.putBack("c");
  await until("the third is put back", 2000, () => seen.woken === 1);
  expect(seen.asked).toEqual([["c"]]);
});
