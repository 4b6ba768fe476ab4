import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import type { EntitlementSql } from "../../entitlement/sql.gen.ts";
import { signedIn, type TestBrowser } from "../../testing/browser.ts";
import { gatewayPlace, startGateway, type TestGateway } from "../../testing/gateway.ts";
import { allRoles, type TestKenri, testKenri } from "../../testing/kenri.ts";
import { seeded } from "../../testing/random.ts";
import { expectRefusal } from "../../testing/refusal.ts";
import { connect } from "../postgres/database.ts";
import { bindStatements, readStatements } from "../postgres/statements.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { idProblem } from "./identifier.ts";

let kenri: TestKenri;
let gateway: TestGateway;
let operator: TestBrowser;
beforeAll(async () => {
  kenri = await testKenri();
  const place = await gatewayPlace();
  await kenri.start(`account:api ${allRoles}`, place.forServices);
  gateway = await startGateway(kenri, place);
  operator = await signedIn(gateway, "operator");
});
afterAll(() => kenri.close());

const read = async (answer: Response) => {
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(`${answer.status} ${text}`);
  return JSON.parse(text);
};
const atService = async (path: string) => read(await kenri.call("entitlement", path));
const atGateway = async (path: string) => read(await operator.fetch(`${gateway.url}/admin/api/${path}`));
const path = encodeURIComponent;

// What URLs, shells, SQL, terminals and humans make much of.
const pieces = [
  ..."abzAZ09._~-%/\\:;?#&=+@!$'()*,\"<>[]{}|^` 日本é🎁ßİﬁſ",
  "..",
  "%2e",
  "%2F",
  "~",
  "\u00a0",
  "\u0301",
  "\u200b",
  "\u202e",
  "\t",
];

/** Ids of all kinds, the same in every run; those that may be written and those that may not. */
function ids(count: number, seed: number): string[] {
  const random = seeded(seed);
  const made = Array.from({ length: count }, () => Array.from({ length: 1 + random(6) }, () => pieces[random(pieces.length)]).join(""));
  return [
    ...new Set([
      ...made,
      "...",
      "%",
      "%2",
      "%252e",
      "~suspend",
      "a:b",
      "?",
      "#",
      "/",
      "\\",
      "//",
      "a/",
      "/a",
      "x".repeat(200),
      "🎁".repeat(200),
    ]),
  ];
}

test("a valid id can be read back by its URL, at the service and through the gateway; an invalid one is not written", async () => {
  const refused: string[] = [];
  const granted: string[] = [];
  for (const id of ids(150, 7)) {
    const sku = id.replaceAll(":", ";");
    const answer = await kenri.grant(id, sku, { purchase: id, reason: id });
    (answer.status === 200 ? granted : refused).push(id);
    expect([id, answer.status]).toEqual([id, idProblem(id) === undefined ? 200 : 400]);
    if (answer.status === 400) continue;
    const [user, item] = [path(id), path(sku)];
    expect(await atService(`/v1/users/${user}/entitlements`)).toMatchObject({ user_id: id, entitlements: [{ stock_keeping_unit: sku }] });
    expect(await atService(`/v1/users/${user}/entitlements/${item}/history`)).toMatchObject({
      stock_keeping_unit: sku,
      history: [{ purchase_id: id }],
    });
    expect(await atService(`/ops/journey/${user}`)).toMatchObject({ matched_by: "purchase_id", events: [{ user_id: id }] });
    expect(await atGateway(`entitlement/users/${user}/history`)).toMatchObject({
      user_id: id,
      history: [{ stock_keeping_unit: sku, reason: id }],
    });
  }
  expect([granted.length, refused.length].every(count => count > 30)).toBe(true);
  const [rows] = await kenri.entitlementSql`select count(*) from entitlements`;
  expect(rows?.count).toBe(granted.length);
}, 60_000);

describe("an id from before the rule", () => {
  const old = ["zero\u200bwidth", "trailing ", "cafe\u0301", "turned\u202eround", "line\nbreak", "%2e%2e"];
  const unaddressable = ["..", "a/../x", "x/."];
  /** As the service wrote it before: by its statement, without its door. */
  async function write(id: string): Promise<void> {
    const database = connect({ url: kenri.entitlement.appUrl, name: "before", max: 1, statementTimeout: 5000 });
    const { change } = bindStatements<EntitlementSql>(database, readStatements(["entitlement"]), createMetrics(), 5000);
    const one = { client_id: "tester", route: "/v1/entitlements/grants", idem_key: `old ${id}`, request_hash: "x", user_id: id };
    const trace = `00-${crypto.randomUUID().replaceAll("-", "")}-0000000000000001-01`;
    const pair = { stock_keeping_unit: id, target: "ACTIVE", source: id, source_id: id, traceparent: trace, conflict_body: "" };
    const batch = Object.fromEntries(Object.entries({ ...one, ...pair }).map(([name, value]) => [name, [value]]));
    const claims = { worker: null, token: null, lease_seconds: null, stream: null, resend_before: null };
    await change({ ...batch, operator_reason: [null], ttl_seconds: 60, ...claims } as unknown as Parameters<typeof change>[0]);
    await database.end();
  }
  beforeAll(async () => {
    for (const id of [...old, ...unaddressable]) await write(id);
  });

  test.each(old)("%j is read and listed, and its event arrives", async id => {
    expect(await atService(`/v1/users/${path(id)}/entitlements`)).toMatchObject({ entitlements: [{ stock_keeping_unit: id }] });
    expect(await atService(`/v1/users/${path(id)}/entitlements/${path(id)}/history`)).toMatchObject({ history: [{ purchase_id: id }] });
    expect(await atGateway(`entitlement/users/${path(id)}/entitlements`)).toMatchObject({ entitlements: [{ stock_keeping_unit: id }] });
    expect(await atGateway(`entitlement/journey/${path(id)}`)).toMatchObject({ events: [{ user_id: id }] });
    await until("it is in the inbox", 10_000, async () => (await kenri.inbox(id)).some(({ status }) => status === "SENT"));
    expect(await atGateway(`notification/users/${path(id)}/inbox`)).toMatchObject({ notifications: [{ status: "SENT" }] });
  });

  test.each(unaddressable)(
    "%j cannot be a part of a URL; operators find it by the filter of their lists, and its event arrives",
    async id => {
      const arrived = async () => (await atGateway(`notification/notifications?user_id=${path(id)}&status=SENT`)).notifications;
      await until("it is delivered", 10_000, async () => (await arrived()).length === 1);
      const { events } = await atGateway(`entitlement/outbox?user_id=${path(id)}`);
      expect(events).toMatchObject([{ status: "PUBLISHED" }]);
      expect(await atGateway(`entitlement/journey/${events[0].event_id}`)).toMatchObject({ events: [{ user_id: id }] });
    },
  );

  test("can be revoked and granted again; another item of such a user is refused", async () => {
    expect((await kenri.revoke("trailing ", "trailing ")).status).toBe(200);
    expect((await kenri.grant("trailing ", "trailing ")).status).toBe(200);
    const answer = await kenri.grant("trailing ", "other");
    expectRefusal(
      { status: answer.status, headers: answer.headers, text: await answer.text() },
      { status: 400, code: "INVALID_REQUEST", pointer: "/user_id" },
    );
    const byHand = (what: string, sku: string) =>
      operator.call(gateway.url, `/admin/api/entitlement/users/${path("zero\u200bwidth")}/${what}`, {
        method: "POST",
        headers: { "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
        body: JSON.stringify({ stock_keeping_unit: sku, purchase_id: "p", reason: "asked for" }),
      });
    expect([(await byHand("revokes", "zero\u200bwidth")).status, (await byHand("grants", "new")).status]).toEqual([200, 400]);
  });
});

test("an invalid display name is refused through the gateway with the detail of the service", async () => {
  const { user_id } = (await (await operator.fetch(`${gateway.url}/v1/me`)).json()) as { user_id: string };
  const rename = (display_name: string) => operator.send(gateway.url, "PATCH", `/v1/users/${user_id}`, { display_name });
  for (const [name, says] of [
    ["Ad\u200ba", "contains U+200B at character 3"],
    ["Ada ", "ends with white space"],
    ["Jose\u0301", "is not in Unicode NFC"],
  ] as const) {
    const answer = await rename(name);
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ errors: [{ pointer: "/display_name", detail: expect.stringContaining(says) }] });
  }
  expect((await rename("Otto \u00d6hm 🎁")).status).toBe(200);
});

test("the API descriptions contain the rules", async () => {
  const described = async (
    system: "entitlement" | "account",
    route: string,
    method: string,
  ): Promise<Record<string, { description: string }>> => {
    const { paths } = await read(await kenri.call(system, "/openapi.json"));
    return paths[route][method].requestBody.content["application/json"].schema.properties;
  };
  const rules = [/control characters/, /zero-width/, /white space at either end/, /Unicode NFC/];
  const says = (text: string, more: readonly RegExp[] = []) => expect([...rules, ...more].filter(rule => !rule.test(text))).toEqual([]);
  const change = await described("entitlement", "/v1/entitlements/grants", "post");
  for (const field of ["user_id", "stock_keeping_unit", "purchase_id"]) says(change[field]!.description, [/'\.\.' alone between slashes/]);
  says(change.reason!.description);
  const byHand = await described("entitlement", "/ops/users/{user_id}/grants", "post");
  for (const field of ["stock_keeping_unit", "purchase_id"]) says(byHand[field]!.description, [/'\.\.' alone between slashes/]);
  says((await described("account", "/users/{user_id}", "patch")).display_name!.description);
});
