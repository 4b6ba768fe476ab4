import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { putDelivered, putWaiting } from "../../testing/inbox.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { expectRefusal } from "../../testing/refusal.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

let mint: TestMint;
let kenri: TestKenri;
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri({ KENRI_ENV: "test" }, undefined, mint);
  await kenri.start("notification:api");
  await putDelivered(kenri.notificationSql, "alice", 5);
  await putWaiting(kenri.notificationSql, ["alice"], 2);
  await putDelivered(kenri.notificationSql, "bob", 1);
  await kenri.notificationSql`update notifications set read_at = now() where user_id = 'alice' and position <= 2`;
  await kenri.notificationSql`update notifications set payload = payload || '{"stock_keeping_unit": "sword"}'`;
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

async function read(query = "", role = "OPERATOR", user = "alice") {
  const authorization = `Bearer ${await mint.token("notification", "otto", [role])}`;
  const response = await kenri.call("notification", `/ops/users/${user}/inbox${query}`, { headers: { authorization } });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

interface Seen {
  notifications: { notification_id: string; position: number | null; read_at: string | null; status: string; payload: object }[];
  unread: number;
  next_cursor?: string;
}
const see = async (query = "", role = "OPERATOR", user = "alice"): Promise<Seen> => JSON.parse((await read(query, role, user)).text);
const places = ({ notifications }: Seen) => notifications.map(({ position }) => position);

test("shows all notifications newest first, also those not delivered, and the number of unread ones", async () => {
  const seen = await see();
  expect(places(seen)).toEqual([null, null, 5, 4, 3, 2, 1]);
  expect(seen.notifications.map(one => one.status)).toEqual(["PENDING", "PENDING", "SENT", "SENT", "SENT", "SENT", "SENT"]);
  expect(seen.notifications.map(one => one.read_at !== null)).toEqual([false, false, false, false, false, true, true]);
  expect(seen.unread).toBe(3);
});

test("shows the feed of the user, and what of it is unread", async () => {
  expect(places(await see("?show=delivered"))).toEqual([5, 4, 3, 2, 1]);
  expect(places(await see("?show=unread"))).toEqual([5, 4, 3]);
  expect((await see("?show=unread")).notifications[0]).toMatchObject({ status: "SENT", payload: { stock_keeping_unit: "sword" } });
  expect(await see("", "OPERATOR", "nobody")).toEqual({ user_id: "nobody", unread: 0, position: 0, notifications: [] } as object as Seen);
});

test.each(["all", "delivered", "unread"])("goes on page by page: %s", async show => {
  const whole = await see(`?show=${show}`);
  const pages: Seen[] = [await see(`?show=${show}&limit=2`)];
  for (let cursor = pages[0]!.next_cursor; cursor; cursor = pages.at(-1)!.next_cursor)
    pages.push(await see(`?show=${show}&limit=2&cursor=${cursor}`));
  expect(pages.flatMap(page => page.notifications)).toEqual(whole.notifications);
});

test("reading it marks nothing as read", async () => {
  const marks = () => kenri.notificationSql`select notification_id, read_at, xmin::text from notifications order by notification_id`;
  const before = await marks();
  for (const show of ["all", "delivered", "unread"]) for (const role of ["VIEWER", "ADMIN"]) await see(`?show=${show}`, role);
  expect(await marks()).toEqual(before);
});

test.each(["all", "delivered", "unread"])("a viewer sees masked payloads: %s", async show => {
  const { notifications } = await see(`?show=${show}`, "VIEWER");
  for (const { payload } of notifications) expect(payload).toMatchObject({ stock_keeping_unit: "•••" });
  expect(notifications[0]!.notification_id).toBe((await see(`?show=${show}`)).notifications[0]!.notification_id);
});

describe("is refused:", () => {
  test.each(["?show=", "?show=sent", "?show=all&show=unread", "?limit=0", "?limit=x", "?cursor=x", "?user_id=x"])("%s", async query =>
    expectRefusal(await read(query), { status: 400, code: "INVALID_REQUEST" }),
  );

  test("an invalid user id", async () => {
    for (const user of ["%20", "a%00b", "a".repeat(201), "..%2fx"])
      expectRefusal(await read("", "OPERATOR", user), { status: 400, code: "INVALID_REQUEST" });
  });

  test("a cursor of another user or another list", async () => {
    const { next_cursor } = await see("?limit=1");
    expectRefusal(await read(`?cursor=${next_cursor}`, "OPERATOR", "bob"), { status: 400, code: "INVALID_REQUEST" });
    expectRefusal(await read(`?show=unread&cursor=${next_cursor}`), { status: 400, code: "INVALID_REQUEST" });
  });

  test("to users and strangers", async () => {
    expectRefusal(await read("", "USER"), { status: 403, code: "FORBIDDEN" });
    const stranger = await kenri.call("notification", "/ops/users/alice/inbox", { headers: { authorization: "" } });
    expect(stranger.status).toBe(401);
  });
});
