import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";

const queue = 40;
let kenri: TestKenri;
let flood: string;
beforeAll(async () => {
  kenri = await testKenri({ CHANGE_QUEUE: String(queue), CHANGE_WAIT: "700ms", OUTBOX_FIRST_ATTEMPT: "relay" });
  await kenri.start("entitlement:api");
  flood = await kenri.newKey("flood", ["entitlements:write"]);
});
afterAll(() => kenri.close());

/** Keeps the change of a pair waiting in the database until it is let go. */
async function holdPair(user: string): Promise<() => Promise<void>> {
  const sql = await kenri.entitlementSql.reserve();
  await sql`begin`;
  await sql`select from entitlements where user_id = ${user} for update`;
  return async () => {
    await sql`rollback`;
    sql.release();
  };
}
const asFlood = (key: string) => ({ key, headers: { authorization: `Bearer ${flood}` } });

test("a client that floods one pair fills the queue with its own requests only; a refused request changed nothing, and its key still works", async () => {
  await kenri.grant("hot", "item");
  const letGo = await holdPair("hot");
  const answers: { key: string; status: number; retryAfter: string | null }[] = [];
  const sent = Array.from({ length: 3 * queue }, async (_, n) => {
    const key = `flood-${n}`;
    const { status, headers } = await kenri.revoke("hot", "item", asFlood(key));
    answers.push({ key, status, retryAfter: headers.get("retry-after") });
  });
  await until("the queue is full", 5000, () => answers.length >= 2 * queue);

  // Fewer than half of the queue: both clients have the same share of it.
  const others = await Promise.all(Array.from({ length: queue / 2 - 4 }, (_, n) => kenri.grant(`user-${n}`, "item")));
  expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));

  await until("all but the one that runs waited long enough", 5000, () => answers.length >= sent.length - 1);
  const refused = answers.slice(0, sent.length - 1);
  expect(new Set(refused.map(({ status, retryAfter }) => `${status} ${retryAfter}`))).toEqual(new Set(["503 1"]));
  await letGo();
  await Promise.all(sent);

  // Nothing is carried out later: sent again under its key, a refused request is carried out now, or finds the pair as the first one left it.
  const again = await kenri.revoke("hot", "item", asFlood(refused[0]!.key));
  expect([again.status, answers.at(-1)!.status].toSorted()).toEqual(answers.at(-1)!.status === 200 ? [200, 409] : [200, 503]);
  const replayed = await kenri.revoke("hot", "item", asFlood(refused[0]!.key));
  expect([replayed.status, replayed.headers.get("idempotency-replayed")]).toEqual([again.status, "true"]);
  const kept = await kenri.entitlementSql`select from idempotency_keys where idem_key like 'flood-%'`;
  const audited = await kenri.entitlementSql`select from entitlement_audit where user_id = 'hot'`;
  expect([kept.length, audited.length]).toEqual([answers.at(-1)!.status === 200 ? 2 : 1, 2]);
});
