import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { type Failing, notifications, outbox } from "../../testing/failed.ts";
import { allRoles, type TestKenri, testKenri } from "../../testing/kenri.ts";
import { operators } from "../../testing/operators.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

// What a client wrote about a user's purchase. Hexadecimal shows it as well.
const mark = "zq7-secret-of-alice";
const key = "key-of-alice";
const hex = Buffer.from(mark).toString("hex");

let mint: TestMint;
let kenri: TestKenri;
const values: Record<string, string> = { user_id: "alice", sku: "sword", key };
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri({}, undefined, mint);
  await kenri.start(allRoles);
  expect((await kenri.grant("alice", "sword", { key, reason: `${mark}-reason`, purchase: `${mark}-purchase` })).status).toBe(200);
  await kenri.grant("bob", "sword", { reason: `${mark}-other`, purchase: `${mark}-other` });
  const isSent = async (user: string) => (await kenri.inbox(user)).some(({ status }) => status === "SENT");
  await until("both are sent", 10_000, async () => (await isSent("alice")) && (await isSent("bob")));
  const [event] = await kenri.entitlementSql`select event_id from outbox_events where payload ->> 'user_id' = 'alice'`;
  const [sent] = await kenri.notificationSql`select notification_id from notifications where user_id = 'alice'`;
  const [letter] =
    await kenri.notificationSql`insert into notification_nats_dlq (stream, stream_seq, subject, headers, data, reason, event_id)
    values ('s', 1, 'subject', ${kenri.notificationSql.json({ x: [mark] })}, ${Buffer.from(mark)}, 'not an event', ${event!.event_id}) returning id`;
  Object.assign(values, { event_id: event!.event_id, notification_id: sent!.notification_id, letter: letter!.id });
  // A change by hand, a failure of bob's, and what was discarded is kept in the audit.
  const change = { stock_keeping_unit: "shield", purchase_id: `${mark}-by-hand`, reason: "the operator's own words" };
  const headers = {
    authorization: `Bearer ${await mint.token("entitlement", "otto", ["OPERATOR"])}`,
    "content-type": "application/json",
    "idempotency-key": "h",
  };
  const byHand = await kenri.call("entitlement", "/ops/users/alice/grants", { method: "POST", headers, body: JSON.stringify(change) });
  expect(byHand.status).toBe(200);
  await kenri.entitlementSql`update outbox_events set status = 'FAILED', last_error = 'no', confirmed_at = null where payload ->> 'user_id' = 'bob'`;
  await kenri.notificationSql`update notifications set status = 'FAILED', last_error = 'no', sent_at = null, sent_by = null, position = null where user_id = 'bob'`;
  for (const failing of [outbox, notifications]) {
    const started = await operators(kenri, mint, failing).started("ADMIN", { user_id: "bob" }, "discard");
    values[`operation of ${failing.system}`] = started.operation_id;
    await operators(kenri, mint, failing).reached(started.operation_id, ({ status }) => status === "DONE");
  }
}, 60_000);
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

// Asked with the ids of alice's chain; the rest have no parameter.
const idsOf = (system: string): Record<string, string[]> => ({
  "/ops/journey/{id}": [values.event_id!, ...(system === "entitlement" ? [key] : [values.notification_id!])],
  "/ops/raw-dead-letters/{id}": [values.letter!],
});
const queryOf: Record<string, string> = {
  "/ops/flow": "?minutes=5",
  "/v1/users/{user_id}/notifications/feed": "?after=0",
  "/ops/raw-dead-letters": "?which=all",
};
const forOwner = /^\/v1\/users\/\{user_id\}\/notifications/;

const walked: readonly Failing[] = [outbox, notifications];
describe.each(walked.map(failing => [failing] as const))("$system", failing => {
  const { system } = failing;
  async function pathsToAsk(): Promise<string[]> {
    const { paths } = (await (await kenri.call(system, "/openapi.json")).json()) as { paths: Record<string, { get?: object }> };
    const routes = Object.keys(paths).filter(path => paths[path]!.get && /^\/(ops|v1|debug)\//.test(path) && !forOwner.test(path));
    return routes.flatMap(route =>
      (idsOf(system)[route] ?? [""]).map(id => {
        const filled = route.replace(/\{(\w+)\}/g, (_, name) =>
          encodeURIComponent(id || (name === "operation_id" ? values[`operation of ${system}`]! : values[name]!)),
        );
        return `${filled}${queryOf[route] ?? ""}`;
      }),
    );
  }

  test("shows a purchase's details to OPERATOR, and on no route to VIEWER", async () => {
    const people = operators(kenri, mint, failing);
    const paths = await pathsToAsk();
    const seen: Record<string, { status: number; operator: boolean; viewer: boolean }> = {};
    for (const path of paths) {
      const [viewer, operator] = [await people.ask("VIEWER", "GET", path), await people.ask("OPERATOR", "GET", path)];
      const shows = ({ text }: { text: string }) => text.includes(mark) || text.includes(hex);
      seen[path] = { status: operator.status, operator: shows(operator), viewer: shows(viewer) };
    }
    expect(Object.entries(seen).filter(([, { status, viewer }]) => status !== 200 || viewer)).toEqual([]);
    const telling = Object.keys(seen).filter(path => seen[path]!.operator);
    expect(telling.length).toBeGreaterThanOrEqual(system === "entitlement" ? 6 : 5);
  });
});

test("the reason of an operator's action is shown to VIEWER too", async () => {
  const people = operators(kenri, mint, outbox);
  for (const path of ["/ops/actions", "/ops/users/alice/history"])
    expect((await people.ask("VIEWER", "GET", path)).text).toContain("the operator's own words");
});

test("the user sees the reason of their own change", async () => {
  const headers = { authorization: `Bearer ${await mint.token("entitlement", "alice", ["USER"])}` };
  const answer = await kenri.call("entitlement", "/v1/users/alice/entitlements/sword/history", { headers });
  expect(await answer.json()).toMatchObject({ history: [{ reason: `${mark}-reason`, purchase_id: `${mark}-purchase` }] });
});
