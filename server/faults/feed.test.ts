import { afterAll, beforeAll, expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { subjectToken } from "../kernel/nats/subject.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { counted } from "../testing/counted.ts";
import { testServer } from "../testing/databases.ts";
import { putWaiting } from "../testing/inbox.ts";
import { allRoles, type Servers, type TestKenri, testKenri, testNats } from "../testing/kenri.ts";
import { connectTo } from "../testing/nats.ts";
import { privateServers } from "../testing/servers.ts";
import { type TestMint, testMint } from "../testing/tokens.ts";

let mint: TestMint;
beforeAll(async () => {
  mint = await testMint();
});
afterAll(() => mint.close());

async function streaming(servers: Servers = { postgresUrl: testServer(), natsUrl: testNats() }): Promise<TestKenri> {
  const kenri = await testKenri(
    { GATEWAY_JWKS_URL: mint.jwksUrl, NOTIFICATION_CHANNEL: "stream", NOTIFICATION_LEASE: "1s", HEALTH_PORT: "0" },
    servers,
  );
  closeAtEnd(kenri.close);
  return kenri;
}

interface Feed {
  readonly position: number;
  readonly notifications: { readonly notification_id: string; readonly position: number }[];
}

async function feedOf(kenri: TestKenri, user: string, after: number): Promise<Feed> {
  const response = await kenri.call("notification", `/v1/users/${user}/notifications/feed?after=${after}&limit=20`, {
    headers: { authorization: `Bearer ${await mint.token("notification", user)}` },
  });
  if (response.status !== 200) throw new Error(`feed: ${response.status} ${await response.text()}`);
  return (await response.json()) as Feed;
}

/** The hints about a user, as a process that streams to the user receives them. */
async function listen(kenri: TestKenri, user: string): Promise<number[]> {
  const nats = await connectTo(kenri.environment.NATS_URL!);
  closeAtEnd(() => nats.close());
  const heard: number[] = [];
  nats.subscribe(`${kenri.environment.INBOX_SUBJECT}.${subjectToken(user)}`, {
    callback: (_, message) => void heard.push(message.json<{ position: number }>().position),
  });
  await nats.flush();
  return heard;
}

const sentTo = async ({ notificationSql }: TestKenri, user: string) =>
  (await notificationSql`select from notifications where user_id = ${user} and status = 'SENT'`).length;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

test("two senders race over hot users while others are killed: a client that follows a feed over HTTP gets everything once, in order", async () => {
  const kenri = await streaming();
  await kenri.start("notification:api");
  const users = ["hot-1", "hot-2"];
  let put = 0;
  let complete = false;
  const putMore = async () => {
    await putWaiting(kenri.notificationSql, users, 50);
    put += 50;
  };
  const follow = async (user: string) => {
    const seen: Feed["notifications"][number][] = [];
    await until(
      `${user} has read everything`,
      50_000,
      async () => {
        const { notifications, position } = await feedOf(kenri, user, seen.at(-1)?.position ?? 0);
        seen.push(...notifications);
        expect(position).toBe(seen.at(-1)?.position ?? 0);
        return complete && seen.length >= put;
      },
      1,
    );
    return seen;
  };
  const following = Promise.all(users.map(follow));
  await Promise.all(["notification:sender", "notification:sender"].map(role => kenri.start(role)));
  for (const point of ["notification.sent", "notification.settled"]) {
    const victim = await kenri.start("notification:sender", { FAULT_KILL_AT: point, NOTIFICATION_POLL: "10ms" });
    // There is always work left for the sender that is to be killed.
    await until(`one dies at ${point}`, 20_000, async () => {
      if ((await kenri.notificationSql`select from notifications where status = 'PENDING'`).length < 100) await putMore();
      return victim.killedBy !== null;
    });
  }
  while (put < 600) await putMore();
  complete = true;
  for (const seen of await following) {
    expect(seen.map(one => one.position)).toEqual(numbers(put));
    expect(new Set(seen.map(one => one.notification_id)).size).toBe(put);
  }
});

test("a hint about a grant is published when the notification is in the feed", async () => {
  const kenri = await streaming();
  await kenri.start(allRoles);
  await kenri.grant("alice", "first");
  await until("the pipeline runs", 20_000, async () => (await sentTo(kenri, "alice")) === 1);
  // The first hint may come before or after this: it follows the settlement.
  const [alice, bob] = [await listen(kenri, "alice"), await listen(kenri, "bob")];
  await kenri.grant("alice", "second");
  await until("the hint came", 5000, () => alice.includes(2), 1);
  expect((await feedOf(kenri, "alice", 1)).notifications).toMatchObject([{ position: 2 }]);
  await kenri.revoke("alice", "second");
  await until("the next hint came", 5000, () => alice.includes(3), 1);
  expect([alice.filter(position => position > 1), bob]).toEqual([[2, 3], []]);
});

test("a batch makes one hint for each user, with the newest position", async () => {
  const kenri = await streaming();
  const [busy, other] = [await listen(kenri, "busy"), await listen(kenri, "other")];
  const sender = await kenri.start("notification:sender", { NOTIFICATION_LANES: "1" }); // two lanes would share the backlog
  await sender.logged("broker.connected");
  await putWaiting(kenri.notificationSql, ["busy", "other"], 20);
  await until("both are hinted", 10_000, () => busy.length > 0 && other.length > 0);
  await putWaiting(kenri.notificationSql, ["busy"], 2);
  await until("the next batch is hinted", 10_000, () => busy.length > 1);
  expect([busy, other]).toEqual([[20, 22], [20]]);
});

test("a sender killed between settlement and hint: no hint is published, and the notification is in the feed", async () => {
  const kenri = await streaming();
  await kenri.start("notification:api");
  const heard = await listen(kenri, "alice");
  const victim = await kenri.start("notification:sender", { FAULT_KILL_AT: "notification.settled" });
  await victim.logged("broker.connected");
  await putWaiting(kenri.notificationSql, ["alice"], 3);
  await victim.killedItself();
  expect((await feedOf(kenri, "alice", 0)).notifications.map(one => one.position)).toEqual([1, 2, 3]);
  await kenri.start("notification:sender");
  await putWaiting(kenri.notificationSql, ["alice"], 1);
  await until("the next one is in the feed", 10_000, async () => (await feedOf(kenri, "alice", 3)).position === 4);
  expect(heard.filter(position => position < 4)).toEqual([]);
});

/** A sender that has published hints loses NATS and has a thousand notifications to deliver. */
async function withoutNats(how: "halt" | "pause") {
  const { nats, stop } = await privateServers("nats");
  closeAtEnd(async () => {
    nats.resume();
    await stop();
  });
  const kenri = await streaming({ postgresUrl: testServer(), natsUrl: nats.url });
  const sender = await kenri.start("notification:sender");
  await sender.logged("broker.connected");
  await putWaiting(kenri.notificationSql, ["warm-up"], 1);
  await until("the sender works", 10_000, async () => (await sentTo(kenri, "warm-up")) === 1);
  await nats[how]();
  await putWaiting(kenri.notificationSql, ["alice", "bob"], 500);
  await until("all are sent", 5000, async () => (await sentTo(kenri, "alice")) + (await sentTo(kenri, "bob")) === 1000);
  return { kenri, nats, sender };
}

test.each(["halt", "pause"] as const)("NATS away (%s) delays no send and costs no attempt", async how => {
  const { kenri } = await withoutNats(how);
  expect(await kenri.notificationSql`select from notifications where attempts_made <> 1`).toHaveLength(0);
  await kenri.start("notification:api");
  expect((await feedOf(kenri, "alice", 490)).position).toBe(500);
});

test("hints that were missed while NATS was away are not published later", async () => {
  const { kenri, nats, sender } = await withoutNats("halt");
  await counted(1, () => sender.metric("kenri_inbox_hints_total", 'outcome="dropped"'));
  await nats.start();
  const heard = await listen(kenri, "alice");
  await until("there are hints again", 10_000, async () => {
    await putWaiting(kenri.notificationSql, ["alice"], 1);
    return heard.length > 0;
  });
  expect(Math.min(...heard)).toBeGreaterThan(500);
});

test("a position that a client has read is not assigned again after PostgreSQL was killed", async () => {
  const servers = await privateServers("postgres");
  closeAtEnd(servers.stop);
  const kenri = await streaming({ postgresUrl: servers.postgres.adminUrl, natsUrl: testNats() });
  // So that nothing is flushed that was not flushed at its commit.
  await kenri.notificationSql`alter system set wal_writer_delay = '10s'`;
  await kenri.notificationSql`select pg_reload_conf()`;
  await kenri.start("notification:api notification:sender");
  let seen: Feed["notifications"] = [];
  for (const round of numbers(5)) {
    await putWaiting(kenri.notificationSql, ["alice"], 2);
    await until(
      "it is in the feed",
      10_000,
      async () => (await feedOf(kenri, "alice", 0).catch(() => undefined))?.position === round * 2,
      1,
    );
    seen = (await feedOf(kenri, "alice", 0)).notifications;
    await servers.postgres.halt();
    await servers.postgres.start();
    await until("it answers again", 10_000, () =>
      feedOf(kenri, "alice", 0).then(
        () => true,
        () => false,
      ),
    );
    expect((await feedOf(kenri, "alice", 0)).notifications).toMatchObject(
      seen.map(({ notification_id, position }) => ({ notification_id, position })),
    );
  }
});
