// The fault tests rely on this check, so it must be able to fail: each case breaks one thing in a healthy system.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { headers } from "@nats-io/transport-node";
import { drained, findInconsistencies } from "./consistency.ts";
import { type TestKenri, testKenri } from "./kenri.ts";
import { notifications } from "./notification_rows.ts";
import { disorderInStream, messagesOf, withNats } from "./stream.ts";
import { type Ledger, traffic } from "./traffic.ts";

let kenri: TestKenri;
let ledger: Ledger;
beforeAll(async () => {
  kenri = await testKenri();
  await kenri.start("entitlement notification");
  // One client: of two, a busy machine may let the other one make nearly all requests, and the pair would have one version.
  const load = traffic(kenri, { clients: 1, hot: 1, pause: 0, requests: 10 });
  await load.done;
  ({ ledger } = load);
  await drained(kenri);
});
afterAll(() => kenri.close());

test("a healthy system has no inconsistency", async () => {
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
});

/** The change is rolled back, so that each case starts with a healthy system. */
async function findsAfter(system: "entitlement" | "notification", change: string): Promise<string[]> {
  const sql = system === "entitlement" ? kenri.entitlementSql : kenri.notificationSql;
  let found: string[] = [];
  await sql
    .begin(async transaction => {
      await transaction.unsafe(change);
      found = await findInconsistencies({ ...kenri, [`${system}Sql`]: transaction } as TestKenri, ledger);
      throw new Error("undo");
    })
    .catch(() => {});
  return found;
}

const hot = "user-hot-0:item";
test.each([
  [
    "a lost notification",
    "notification",
    `delete from notifications where aggregate_key = '${hot}' and aggregate_version = 2`,
    /hot-0:item v2 was answered 200 and is in no inbox/,
  ],
  [
    "a notification without an event",
    "notification",
    `update notifications set event_id = gen_random_uuid() where aggregate_key = '${hot}' and aggregate_version = 2`,
    /is no event/,
  ],
  [
    "a duplicate notification",
    "notification",
    notifications.text({ user_id: "'user-hot-0'", status: "'SENT'", position: 99 }),
    /in the inbox twice/,
  ],
  [
    "a notification that was not sent",
    "notification",
    `update notifications set status = 'PENDING', sent_at = null, sent_by = null, position = null where aggregate_key = '${hot}' and aggregate_version = 1`,
    /is PENDING/,
  ],
  [
    "a gap in a feed",
    "notification",
    `update notifications set position = 99 where aggregate_key = '${hot}' and aggregate_version = 1`,
    /feed of user-hot-0 has positions .*99/,
  ],
  [
    "a position that was counted and not assigned",
    "notification",
    "update inbox_positions set position = position + 1 where user_id = 'user-hot-0'",
    /feed of user-hot-0 has positions/,
  ],
  [
    "a feed in the wrong order",
    "notification",
    `update notifications set position = 99 where aggregate_key = '${hot}' and aggregate_version = 1`,
    /hot-0:item v1 stands in the feed behind a newer version/,
  ],
  [
    "an event that failed",
    "entitlement",
    `update outbox_events set status = 'FAILED', confirmed_at = null where aggregate_key = '${hot}' and aggregate_version = 1`,
    /is FAILED/,
  ],
  [
    "a gap in the versions",
    "entitlement",
    `delete from outbox_events where aggregate_key = '${hot}' and aggregate_version = 1`,
    /has versions 2/,
  ],
  ["a change without its audit", "entitlement", "delete from entitlement_audit where version = 1", /half done/],
  ["a change without its stored response", "entitlement", "delete from idempotency_keys where response_code = 200", /half done/],
] as const)("%s is found", async (_, system, change, expected) => {
  expect((await findsAfter(system, change)).join("\n")).toMatch(expected);
});

test("more events than requests are found", async () => {
  expect((await findInconsistencies(kenri, { ...ledger, asked: new Map() })).join("\n")).toMatch(/asked for 0/);
});

test("an older version that first appears after a newer one is disorder", async () => {
  const all = await messagesOf(kenri);
  await withNats(kenri, async (nats, manager) => {
    await manager.streams.purge(kenri.environment.ENTITLEMENT_STREAM!);
    for (const message of all.reverse()) {
      const map = headers();
      map.set("Nats-Msg-Id", `${message.messageId} again`);
      nats.publish(kenri.environment.ENTITLEMENT_SUBJECT!, message.data, { headers: map });
    }
    await nats.flush();
  });
  expect((await disorderInStream(kenri)).join("\n")).toContain(hot);
});
