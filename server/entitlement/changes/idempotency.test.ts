import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";

let kenri: TestKenri;
let bases: [string, string];
beforeAll(async () => {
  kenri = await testKenri();
  await kenri.start("entitlement notification");
  const first = kenri.urlOf("entitlement");
  await kenri.start("entitlement:api");
  bases = [first, kenri.urlOf("entitlement")];
});
afterAll(() => kenri.close());

interface Seen {
  readonly status: number;
  readonly text: string;
  readonly replayed: boolean;
}
const seen = async (response: Promise<Response>): Promise<Seen> => {
  const answer = await response;
  return { status: answer.status, text: await answer.text(), replayed: answer.headers.get("idempotency-replayed") === "true" };
};

const post = (route: string, key: string, body: string, headers: Record<string, string> = {}) =>
  seen(
    kenri.call("entitlement", `/v1/entitlements/${route}`, {
      method: "POST",
      headers: { "content-type": "application/json", "idempotency-key": key, ...headers },
      body,
    }),
  );

/** What a pair has caused so far. */
async function traces(user: string) {
  const [row] =
    await kenri.entitlementSql`select (select coalesce(sum(version), 0)::int from entitlements where user_id = ${user}) as changes,
    (select count(*) from outbox_events where payload ->> 'user_id' = ${user}) as events, (select count(*) from entitlement_audit where user_id = ${user}) as audit`;
  return { changes: row?.changes, events: row?.events, audit: row?.audit };
}

describe("50 parallel identical first requests", () => {
  test.each([
    ["one process", 1],
    ["two processes", 2],
  ] as const)("to %s: one change, one event, one audit row, one notification, 50 identical bodies", async (name, processes) => {
    const user = `fifty-${processes}`;
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) =>
        seen(kenri.grant(user, "item1", { key: `fifty ${name}`.replaceAll(" ", "-"), base: bases[n % processes]! })),
      ),
    );
    expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([200]));
    expect(new Set(answers.map(answer => answer.text)).size).toBe(1);
    expect(answers.filter(answer => answer.replayed)).toHaveLength(49);
    expect(await traces(user)).toEqual({ changes: 1, events: 1, audit: 1 });
    await until("the notification is sent", 10_000, async () => (await kenri.inbox(user))[0]?.status === "SENT");
    expect(await kenri.inbox(user)).toHaveLength(1);
  });

  test("that the state forbids: 50 identical refusals, nothing changed", async () => {
    await kenri.grant("owner", "item1");
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => seen(kenri.grant("owner", "item1", { key: "fifty-conflicts", base: bases[n % 2]! }))),
    );
    expect(new Set(answers.map(answer => answer.text)).size).toBe(1);
    expect(answers.filter(answer => answer.status === 409 && answer.replayed)).toHaveLength(49);
    expect(await traces("owner")).toEqual({ changes: 1, events: 1, audit: 1 });
  });

  test("that ask for different things under one key: one is done, the others hear of the conflict", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, n) => seen(kenri.grant(`rival-${n}`, "item1", { key: "one-key", base: bases[n % 2]! }))),
    );
    expect(answers.filter(answer => answer.status === 200)).toHaveLength(1);
    expect(answers.filter(answer => answer.status === 409 && JSON.parse(answer.text).code === "IDEMPOTENCY_KEY_CONFLICT")).toHaveLength(49);
    const [row] = await kenri.entitlementSql`select count(*) as rows from entitlements where user_id like 'rival-%'`;
    expect(row?.rows).toBe(1);
  });
});

describe("the same key", () => {
  const body = '{"user_id":"carol","stock_keeping_unit":"item1","reason":"gift","purchase_id":"p_9"}';

  test("with the same request, written in another way, gets the stored answer byte for byte", async () => {
    const first = await post("grants", "carol-1", body);
    expect(first).toMatchObject({ status: 200, replayed: false });
    const others = [
      '{"purchase_id":"p_9","reason":"gift","stock_keeping_unit":"item1","user_id":"carol"}',
      ` {\n\t"user_id" : "carol" ,\r\n "stock_keeping_unit":"item1","reason":"gift","purchase_id":"p_9" } \n`,
      '{"user_id":"\\u0063arol","stock_keeping_unit":"item1","reason":"gift","purchase_id":"p\\u005f9"}',
    ];
    for (const other of others) expect(await post("grants", "carol-1", other)).toEqual({ ...first, replayed: true });
    expect(await post("grants", '"carol-1"', body)).toEqual({ ...first, replayed: true });
    expect(await traces("carol")).toEqual({ changes: 1, events: 1, audit: 1 });
  });

  test("with another request is a conflict, whatever field differs, and changes nothing", async () => {
    for (const field of ["user_id", "stock_keeping_unit", "reason", "purchase_id"]) {
      const other = await post("grants", "carol-1", JSON.stringify({ ...JSON.parse(body), [field]: "other" }));
      expect([other.status, JSON.parse(other.text).code, other.replayed]).toEqual([409, "IDEMPOTENCY_KEY_CONFLICT", false]);
    }
    expect(await traces("carol")).toEqual({ changes: 1, events: 1, audit: 1 });
    expect(await traces("other")).toEqual({ changes: 0, events: 0, audit: 0 });
  });

  test("gets the stored answer also when the world has moved on", async () => {
    const first = await post("grants", "carol-1", body);
    await kenri.revoke("carol", "item1");
    expect(await post("grants", "carol-1", body)).toEqual(first);
    expect(await traces("carol")).toEqual({ changes: 2, events: 2, audit: 2 });
  });

  test("keeps the refusal of a state that forbids it", async () => {
    await kenri.grant("dora", "item1");
    const dora = body.replace("carol", "dora");
    const refused = await post("grants", "dora-1", dora);
    expect([refused.status, JSON.parse(refused.text).code, refused.replayed]).toEqual([409, "ENTITLEMENT_STATE_CONFLICT", false]);
    await kenri.revoke("dora", "item1");
    expect(await post("grants", "dora-1", dora)).toEqual({ ...refused, replayed: true });
    expect((await post("grants", "dora-2", dora)).status).toBe(200);
  });

  test("on the other route is another key", async () => {
    expect((await post("grants", "both", body.replace("carol", "erin"))).status).toBe(200);
    expect(await post("revokes", "both", body.replace("carol", "erin"))).toMatchObject({ status: 200, replayed: false });
    expect(await traces("erin")).toEqual({ changes: 2, events: 2, audit: 2 });
  });

  test("of another client is another key, and never shows the first one's answer", async () => {
    const other = { authorization: `Bearer ${await kenri.newKey("rival", ["entitlements:write"])}` };
    const mine = await post("grants", "shared", body.replace("carol", "fay"));
    const theirs = await post("grants", "shared", body.replace("carol", "gus"), other);
    expect([mine.status, theirs.status, theirs.replayed]).toEqual([200, 200, false]);
    expect(theirs.text).toContain("gus");
    const [same] = [await post("grants", "shared", body.replace("carol", "fay"), other)];
    expect(JSON.parse(same.text).code).toBe("IDEMPOTENCY_KEY_CONFLICT");
    expect(same.text).not.toContain("fay");
  });

  test("of one client under two API keys is one key: rotation changes nothing", async () => {
    const rotated = { authorization: `Bearer ${await kenri.newKey("tester", ["entitlements:write"])}` };
    const first = await post("grants", "rotated", body.replace("carol", "hal"));
    expect(await post("grants", "rotated", body.replace("carol", "hal"), rotated)).toEqual({ ...first, replayed: true });
  });
});
