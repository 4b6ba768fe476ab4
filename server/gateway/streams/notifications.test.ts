import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { signedIn, type TestBrowser } from "../../testing/browser.ts";
import { openEvents, type TestEvents } from "../../testing/event_source.ts";
import { gatewayPlace, startGateway, type TestGateway } from "../../testing/gateway.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";

let kenri: TestKenri;
let gateways: TestGateway[];
let alice: TestBrowser;
let userId: string;
beforeAll(async () => {
  kenri = await testKenri({ NOTIFICATION_CHANNEL: "stream" });
  const places = [await gatewayPlace(), await gatewayPlace()];
  await kenri.start(
    "account:api entitlement:api entitlement:relay notification:api notification:consumer notification:sender",
    places[0]!.forServices,
  );
  const environment = { INBOX_SUBJECT: kenri.environment.INBOX_SUBJECT ?? "notification.inbox", STREAM_HEARTBEAT: "10s" };
  gateways = await Promise.all(places.map(place => startGateway(kenri, place, environment)));
  const person = await signedIn(gateways[0]!, "alice");
  [alice, userId] = [person, person.userId];
  await kenri.grant(userId, "first");
  await until("the pipeline runs", 15_000, async () => (await list()).position === 1);
});
afterAll(() => kenri.close());

const streamUrl = (gateway: number, after?: string) =>
  `${gateways[gateway]!.url}/v1/me/notifications/stream${after === undefined ? "" : `?after=${after}`}`;
const notificationsOn = ({ events }: TestEvents) => events.filter(event => event.name === "notification");
const skus = (stream: TestEvents) =>
  notificationsOn(stream).map(({ data }) => (data.payload as { stock_keeping_unit: string }).stock_keeping_unit);
const list = async (query = "") =>
  (await (await alice.fetch(`${gateways[1]!.url}/v1/me/notifications${query}`)).json()) as {
    notifications: { notification_id: string; position: number; read_at: string | null; payload: { stock_keeping_unit: string } }[];
    unread: number;
    position: number;
    next_cursor?: string;
  };

describe("the stream", () => {
  test("sends a grant at once, not with the next heartbeat, at any gateway", async () => {
    const streams = await Promise.all([openEvents(alice, streamUrl(0)), openEvents(alice, streamUrl(1))]);
    await until("both are ready", 5000, () => streams.every(({ events }) => events[0]?.name === "ready"));
    const since = performance.now();
    await kenri.grant(userId, "sword");
    await until("both have sent it", 20_000, () => streams.every(stream => notificationsOn(stream).length === 1), 5);
    expect(performance.now() - since).toBeLessThan(5000);
    expect(streams.map(skus)).toEqual([["sword"], ["sword"]]);
    for (const stream of streams) stream.close();
  });

  test("continues after a reconnect at another gateway: nothing is lost or repeated", async () => {
    const first = await openEvents(alice, streamUrl(0));
    await until("it is ready", 5000, () => first.events.length === 1);
    await kenri.grant(userId, "before");
    await until("it has sent it", 5000, () => notificationsOn(first).length === 1);
    first.close();
    const last = notificationsOn(first).at(-1)!.id;
    // One after the other: only versions of one entitlement keep their order by themselves.
    for (const [n, sku] of ["away-1", "away-2", "away-3"].entries()) {
      await kenri.grant(userId, sku);
      await until("it was delivered", 10_000, async () => (await list()).position === Number(last) + n + 1);
    }
    const second = await openEvents(alice, streamUrl(1), last);
    await kenri.grant(userId, "after");
    await until("all are sent", 5000, () => notificationsOn(second).length === 4);
    expect(skus(second)).toEqual(["away-1", "away-2", "away-3", "after"]);
    second.close();
  });

  test("with many grants and a reconnect after every few of them sends each once, in order", async () => {
    const start = (await list()).position;
    let last = String(start);
    const heard: string[] = [];
    const granting = (async () => {
      for (let n = 0; n < 60; n++) await kenri.grant(userId, `many-${n}`);
    })();
    for (let turn = 0; heard.length < 60; turn++) {
      const stream = await openEvents(alice, streamUrl(turn % 2), last);
      await until("it sends some", 10_000, () => notificationsOn(stream).length > 0, 5);
      stream.close();
      const events = notificationsOn(stream);
      heard.push(...events.map(event => event.id));
      last = events.at(-1)!.id;
    }
    await granting;
    expect(heard).toEqual(Array.from({ length: 60 }, (_, n) => String(start + 1 + n)));
  });

  test("starts after the position of a list without a gap", async () => {
    const { position } = await list();
    await kenri.grant(userId, "between");
    await until("it was delivered", 10_000, async () => (await list()).position === position + 1);
    const stream = await openEvents(alice, streamUrl(0, String(position)));
    await until("it sends", 5000, () => notificationsOn(stream).length === 1);
    expect(skus(stream)).toEqual(["between"]);
    stream.close();
  });

  test("ends when the session ends", async () => {
    const bob = await signedIn(gateways[0]!, "bob");
    const stream = await openEvents(bob, streamUrl(0));
    await until("it is ready", 5000, () => stream.events.length === 1);
    await bob.call(gateways[1]!.url, "/logout", { method: "POST" });
    await kenri.grant(bob.userId, "sword");
    await stream.ended;
    expect(stream.events.map(event => event.name)).toEqual(["ready", "end"]);
    expect((await openEvents(bob, streamUrl(0))).status).toBe(401);
  });

  test("needs a session, and is limited for one user", async () => {
    expect((await fetch(streamUrl(0))).status).toBe(401);
    const streams = await Promise.all(Array.from({ length: 8 }, () => openEvents(alice, streamUrl(0))));
    expect((await openEvents(alice, streamUrl(0))).status).toBe(429);
    for (const stream of streams) stream.close();
    await until("there is room again", 5000, async () => {
      const stream = await openEvents(alice, streamUrl(0));
      stream.close();
      return stream.status === 200;
    });
  });

  test("sends heartbeats while it is quiet, and finds at the next one what came without a hint", async () => {
    const place = await gatewayPlace();
    const deaf = await startGateway(kenri, place, { STREAM_HEARTBEAT: "300ms", INBOX_SUBJECT: "nobody.hints.here" });
    const stream = await openEvents(alice, `${deaf.url}/v1/me/notifications/stream`);
    await until("it beats", 5000, () => stream.beats() >= 2);
    await kenri.grant(userId, "unhinted");
    await until("it sends", 5000, () => skus(stream).includes("unhinted"));
    expect(await deaf.process.stop()).toBe(0);
    await stream.ended;
  });

  test("when notification's database comes back with an earlier state, open and reconnecting streams say so and go on with what is new", async () => {
    const { position } = await list();
    const open = await openEvents(alice, streamUrl(0));
    await until("it is ready", 5000, () => open.events[0]?.name === "ready");
    await kenri.notificationSql`delete from notifications where user_id = ${userId} and position > ${position - 3}`;
    await kenri.notificationSql`update inbox_positions set position = ${position - 3} where user_id = ${userId}`;
    await kenri.grant(userId, "restored-1");
    await until("it says so", 5000, () => open.events.some(({ name, id }) => name === "reset" && Number(id) < position));
    const late = await openEvents(alice, streamUrl(1), String(position));
    await until("it says so too", 5000, () => late.events.some(({ name }) => name === "reset"));
    await kenri.grant(userId, "restored-2");
    await until("both send what is new", 5000, () => [open, late].every(stream => skus(stream).includes("restored-2")));
    for (const stream of [open, late]) stream.close();
  });
});

describe("the list", () => {
  test("has only the user's own notifications, newest first, page by page", async () => {
    const { notifications, next_cursor } = await list("?limit=3");
    expect(notifications).toHaveLength(3);
    const rest = await list(`?limit=200&cursor=${next_cursor}`);
    const positions = [...notifications, ...rest.notifications].map(one => one.position);
    expect(positions).toEqual(positions.toSorted((a, b) => b - a));
    expect(new Set(positions).size).toBe((await list()).position);
  });

  test("shows which notifications were read", async () => {
    const { notifications, unread } = await list("?limit=2");
    const read = (body: object) => alice.send(gateways[0]!.url, "POST", "/v1/me/notifications/read", body);
    const one = await read({ notification_ids: [notifications[0]!.notification_id] });
    expect(await one.json()).toEqual({ marked: 1, unread: unread - 1 });
    expect((await list("?limit=1")).notifications[0]!.read_at).not.toBeNull();
    expect((await list("?unread=true&limit=1")).notifications[0]!.position).toBe(notifications[1]!.position);
    const rest = (await (await read({ up_to: (await list()).position })).json()) as { unread: number };
    expect(rest.unread).toBe(0);
    expect((await list("?unread=true")).notifications).toEqual([]);
  });
});
