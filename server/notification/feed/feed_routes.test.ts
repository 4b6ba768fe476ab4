import { afterAll, beforeAll, beforeEach, expect, test } from "bun:test";
import { putDelivered, putWaiting } from "../../testing/inbox.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

interface Item {
  readonly notification_id: string;
  readonly position: number;
  readonly read_at: string | null;
}
interface Page {
  readonly notifications: Item[];
  readonly unread: number;
  readonly position: number;
  readonly next_cursor?: string;
}

let kenri: TestKenri;
let mint: TestMint;
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri({ GATEWAY_JWKS_URL: mint.jwksUrl });
  await kenri.start("notification:api");
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});
beforeEach(async () => {
  await kenri.notificationSql`delete from notifications`;
  await kenri.notificationSql`delete from inbox_positions`;
});

async function ask<T>(user: string, path: string, body?: unknown): Promise<T> {
  const response = await kenri.call("notification", `/v1/users/${encodeURIComponent(user)}/notifications${path}`, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: { authorization: `Bearer ${await mint.token("notification", user)}`, "content-type": "application/json" },
  });
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as T;
}
const list = (user: string, query = "") => ask<Page>(user, query);
const feed = (user: string, query: string) => ask<{ position: number; notifications: Item[] }>(user, `/feed?${query}`);
const read = (user: string, body: unknown) => ask<{ marked: number; unread: number }>(user, "/read", body);
const positions = ({ notifications }: { notifications: Item[] }) => notifications.map(one => one.position);

test("a user without notifications has an empty list at position 0", async () => {
  expect(await list("nobody")).toEqual({ user_id: "nobody", notifications: [], unread: 0, position: 0 } as never);
  expect(await feed("nobody", "after=0")).toEqual({ user_id: "nobody", position: 0, notifications: [] } as never);
});

test("the list has the delivered notifications, newest first, and none that wait or belong to others", async () => {
  await putDelivered(kenri.notificationSql, "alice", 2);
  await putDelivered(kenri.notificationSql, "bob", 1);
  await putWaiting(kenri.notificationSql, ["alice"], 3);
  const page = await list("alice");
  expect(page).toEqual({
    user_id: "alice",
    notifications: [2, 1].map(position => ({
      notification_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      position,
      event_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: "EntitlementGranted",
      stale: false,
      payload: { n: position },
      created_at: expect.stringMatching(/Z$/),
      sent_at: expect.stringMatching(/Z$/),
      read_at: null,
    })),
    unread: 2,
    position: 2,
  } as never);
});

test("pages follow each other without a gap while more is delivered, and each has the newest position", async () => {
  await putDelivered(kenri.notificationSql, "alice", 5);
  const first = await list("alice", "?limit=2");
  await putDelivered(kenri.notificationSql, "alice", 1);
  const second = await list("alice", `?limit=2&cursor=${first.next_cursor}`);
  const third = await list("alice", `?limit=2&cursor=${second.next_cursor}`);
  expect([first, second, third].map(positions)).toEqual([[5, 4], [3, 2], [1]]);
  expect([first.position, second.position, third.next_cursor]).toEqual([5, 6, undefined]);
  expect(positions(await feed("alice", `after=${first.position}`))).toEqual([6]);
});

test("the feed continues after a position, in order, and skips notifications past their retention", async () => {
  await putDelivered(kenri.notificationSql, "alice", 5);
  const first = await feed("alice", "after=0&limit=2");
  const rest = await feed("alice", `after=${first.position}`);
  expect([positions(first), positions(rest), rest.position]).toEqual([[1, 2], [3, 4, 5], 5]);
  await kenri.notificationSql`delete from notifications where position in (3, 5)`;
  expect(positions(await feed("alice", `after=${first.position}`))).toEqual([4]);
  expect((await list("alice")).position).toBe(5);
  await putDelivered(kenri.notificationSql, "alice", 1);
  expect(positions(await feed("alice", "after=5"))).toEqual([6]);
});

test("a position that the database does not have, because it was restored to an earlier state, is answered with the newest one", async () => {
  await putDelivered(kenri.notificationSql, "alice", 3);
  expect(await feed("alice", "after=8")).toMatchObject({ position: 3, notifications: [] });
  expect(await feed("nobody", "after=8")).toMatchObject({ position: 0, notifications: [] });
  await putDelivered(kenri.notificationSql, "alice", 1);
  expect(positions(await feed("alice", "after=3"))).toEqual([4]);
});

test("ids are marked as read once, and leave the list of unread ones", async () => {
  await putDelivered(kenri.notificationSql, "alice", 4);
  const ids = (await list("alice")).notifications.slice(1, 3).map(one => one.notification_id);
  expect(await read("alice", { notification_ids: [...ids, ...ids, crypto.randomUUID()] })).toEqual({ marked: 2, unread: 2 });
  const after = await list("alice");
  expect(after.notifications.map(one => one.read_at !== null)).toEqual([false, true, true, false]);
  expect(await read("alice", { notification_ids: ids.map(id => id.toUpperCase()) })).toEqual({ marked: 0, unread: 2 });
  expect(await list("alice")).toEqual(after);
  const page = await list("alice", "?unread=true&limit=1");
  expect(positions(page)).toEqual([4]);
  expect(positions(await list("alice", `?unread=true&cursor=${page.next_cursor}`))).toEqual([1]);
  expect(positions(await list("alice", "?unread=false"))).toEqual([4, 3, 2, 1]);
});

test("ids of other users and of waiting notifications change nothing", async () => {
  await putDelivered(kenri.notificationSql, "alice", 1);
  await putDelivered(kenri.notificationSql, "bob", 1);
  await putWaiting(kenri.notificationSql, ["alice"], 1);
  const all = (await kenri.notificationSql`select notification_id, user_id from notifications`).map(row => row.notification_id as string);
  expect(await read("bob", { notification_ids: all })).toEqual({ marked: 1, unread: 0 });
  expect((await list("alice")).unread).toBe(1);
  expect(await kenri.notificationSql`select from notifications where read_at is not null`).toHaveLength(1);
});

test("everything up to a position is marked as read, however much it is; later ones are not", async () => {
  await putDelivered(kenri.notificationSql, "alice", 2503);
  expect((await list("alice")).unread).toBe(1000);
  expect(await read("alice", { up_to: 2500 })).toEqual({ marked: 2500, unread: 3 });
  expect(await read("alice", { up_to: 2500 })).toEqual({ marked: 0, unread: 3 });
  expect(await read("alice", { up_to: 0 })).toEqual({ marked: 0, unread: 3 });
  expect(await read("alice", { up_to: Number.MAX_SAFE_INTEGER })).toEqual({ marked: 3, unread: 0 });
  await putDelivered(kenri.notificationSql, "alice", 1);
  expect(await list("alice", "?unread=true")).toMatchObject({ unread: 1, notifications: [{ position: 2504 }] });
});

test("parallel requests that mark the same by ids and by position mark each once and do not deadlock", async () => {
  await putDelivered(kenri.notificationSql, "alice", 150);
  const ids = (await list("alice", "?limit=200")).notifications.map(one => one.notification_id);
  const asked = [{ notification_ids: ids }, { notification_ids: ids.toReversed() }, { up_to: 150 }, { up_to: 100 }];
  const answers = await Promise.all([...asked, ...asked, ...asked].map(body => read("alice", body)));
  expect(answers.reduce((sum, { marked }) => sum + marked, 0)).toBe(150);
  expect((await list("alice")).unread).toBe(0);
});

test("an id with dots, colons, slashes and spaces is a user like any other", async () => {
  const odd = "a.b:c/d e>*";
  await putDelivered(kenri.notificationSql, odd, 1);
  expect(positions(await list(odd))).toEqual([1]);
});
