import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { jetstreamManager } from "@nats-io/jetstream";
import { errors, type NatsConnection } from "@nats-io/transport-node";
import { configFile } from "../../../stack/nats_config.ts";
import { scratchFolder } from "../../../stack/scratch.ts";
import { forgetStack, type Stack, startStack } from "../../../stack/stack.ts";
import { until } from "../../../stack/wait.ts";
import { signedIn } from "../../testing/browser.ts";
import { testServer } from "../../testing/databases.ts";
import { openEvents } from "../../testing/event_source.ts";
import { gatewayPlace, startGateway } from "../../testing/gateway.ts";
import { allRoles, type TestKenri, testKenri } from "../../testing/kenri.ts";
import { connectTo } from "../../testing/nats.ts";

// The server as `bun run dev` and compose.yaml have it: with the committed users and the default names.
const names = {
  ENTITLEMENT_STREAM: "entitlement-events",
  ENTITLEMENT_SUBJECT: "entitlement.events",
  ENTITLEMENT_CONSUMER: "notification-entitlement-consumer",
  TAKEN_IN_SUBJECT: "notification.taken-in",
  MATCHMAKING_STREAM: "matchmaking-events",
  MATCHMAKING_SUBJECT: "matchmaking.events",
  MATCHMAKING_CONSUMER: "notification-matchmaking-consumer",
  ANNOUNCED_SUBJECT: "notification.announced",
  INBOX_SUBJECT: "notification.inbox",
};
const roles = [
  "entitlement_api",
  "entitlement_relay",
  "notification_api",
  "notification_consumer",
  "notification_sender",
  "matchmaking_relay",
  "gateway_api",
];

let stack: Stack<"nats">;
let kenri: TestKenri;
const open: NatsConnection[] = [];
beforeAll(async () => {
  stack = await startStack({ dir: scratchFolder(), servers: ["nats"], environment: {} });
  kenri = await testKenri(
    { ...names, NOTIFICATION_CHANNEL: "stream", HEALTH_PORT: "0" },
    { postgresUrl: testServer(), natsUrl: stack.nats.url },
  );
});
afterAll(async () => {
  await kenri.close();
  await Promise.all(open.map(one => one.close()));
  await stack.stop();
  forgetStack(stack.dir);
});

async function connectAs(user: string): Promise<NatsConnection> {
  const url = user === "administrator" ? stack.nats.url : stack.nats.roleUrls[`${user.toUpperCase()}_NATS_URL`]!;
  const nats = await connectTo(url, { inboxPrefix: `_INBOX_${user}`, reconnect: false });
  open.push(nats);
  return nats;
}

test("the server has the committed configuration", () => {
  expect(readFileSync(join(stack.dir, "nats.users.conf"), "utf8")).toBe(readFileSync(configFile, "utf8"));
});

test("every role works: a grant is published, consumed, sent and confirmed, and the gateway gets its hint", async () => {
  const place = await gatewayPlace();
  const services = await kenri.start(`account:api ${allRoles}`, { ...place.forServices, NOTIFICATION_FIRST_ATTEMPT: "sender" });
  const gateway = await startGateway(kenri, place, { STREAM_HEARTBEAT: "15s" });
  const alice = await signedIn(gateway, "alice");
  const user = alice.userId;
  const stream = await openEvents(alice, `${gateway.url}/v1/me/notifications/stream`);
  await until("the stream is ready", 30_000, () => stream.events.length === 1);
  // Published by the API, then by the relay.
  await kenri.grant(user, "sword");
  await until("the hint came before the heartbeat", 14_000, () => stream.events.length === 2);
  const relayed = await kenri.start("entitlement:api", { OUTBOX_FIRST_ATTEMPT: "relay" });
  await kenri.grant(user, "shield");
  await until("the second hint came", 14_000, () => stream.events.length === 3);
  await until("both are confirmed", 30_000, async () => {
    const rows = await kenri.entitlementSql`select from outbox_events where status = 'PUBLISHED' and confirmed_at is not null`;
    return rows.length === 2;
  });
  expect((await kenri.inbox(user)).map(row => row.status)).toEqual(["SENT", "SENT"]);
  const health = (await (await kenri.call("notification", "/ops/health")).json()) as { consumers: { pending: number | null }[] };
  expect(health.consumers.map(({ pending }) => pending)).toEqual([0, null]);
  stream.close();
  for (const one of [services, gateway.process, relayed]) {
    expect(one.lines.filter(line => /broker\.(refused|not_permitted)/.test(line))).toEqual([]);
    expect(await one.metric("kenri_nats_refused_total")).toBe(0);
    expect(await one.stop()).toBe(0);
  }
});

test("an API that NATS refuses says so in health and once in the log, and takes grants all the same: the relay publishes them", async () => {
  const wrong = (user: string) => `nats://${user}:wrong@${new URL(stack.nats.url).host}`;
  const process = await kenri.start("entitlement:api notification:api", {
    ENTITLEMENT_API_NATS_URL: wrong("entitlement_api"),
    NOTIFICATION_API_NATS_URL: wrong("notification_api"),
  });
  const says = (user: string) =>
    `NATS refuses the credentials of user ${user} (Authorization Violation); check ${user.toUpperCase()}_NATS_URL`;
  await until("both were refused a few times", 30_000, async () => (await process.metric("kenri_nats_refused_total")) > 6);
  // On a busy machine an attempt to connect may also end at its deadline. That is no refusal.
  const broker = { name: "broker", state: "trouble", detail: says("notification_api") };
  await until("both say why", 30_000, async () => {
    const { dependencies } = (await (await kenri.call("notification", "/ops/health")).json()) as { dependencies: object[] };
    const ready = await kenri.readiness("entitlement");
    return ready.degraded?.broker === says("entitlement_api") && dependencies.some(one => Bun.deepEquals(one, broker));
  });
  expect(process.lines.filter(line => line.includes("broker.refused"))).toHaveLength(2);
  expect(process.lines.join()).not.toContain("wrong");
  expect((await kenri.grant("patient", "bow")).status).toBe(200);
  const relay = await kenri.start("entitlement:relay");
  await until("the relay publishes it", 30_000, async () => {
    return (
      (await kenri.entitlementSql`select from outbox_events where status = 'PUBLISHED' and aggregate_key = 'patient:bow'`).length === 1
    );
  });
  for (const one of [process, relay]) expect(await one.stop()).toBe(0);
});

const [stream, consumer] = [names.ENTITLEMENT_STREAM, names.ENTITLEMENT_CONSUMER];
const [matchStream, matchConsumer] = [names.MATCHMAKING_STREAM, names.MATCHMAKING_CONSUMER];
/** Something that can be tried at NATS, and who may. */
type Attempt = readonly [what: string, operation: "publish" | "subscription", subject: string, allowed?: readonly string[]];
const attempts: Attempt[] = [
  ["publish an event", "publish", "entitlement.events", ["entitlement_api", "entitlement_relay"]],
  ["publish below the events", "publish", "entitlement.events.extra"],
  ["listen to events beside the stream", "subscription", "entitlement.events"],
  ["ask what was taken in", "publish", "notification.taken-in", ["entitlement_relay"]],
  ["receive these questions", "subscription", "notification.taken-in", ["notification_consumer"]],
  ["answer them", "publish", "_INBOX_entitlement_relay.question", ["notification_consumer"]],
  ["ask what was announced", "publish", "notification.announced", ["matchmaking_relay"]],
  ["receive these questions, too", "subscription", "notification.announced", ["notification_consumer"]],
  ["answer these", "publish", "_INBOX_matchmaking_relay.question", ["notification_consumer"]],
  ["publish a match", "publish", "matchmaking.events", ["matchmaking_relay"]],
  ["listen to matches beside the stream", "subscription", "matchmaking.events"],
  ["pull matches", "publish", `$JS.API.CONSUMER.MSG.NEXT.${matchStream}.${matchConsumer}`, ["notification_consumer"]],
  ["pull matches for another consumer", "publish", `$JS.API.CONSUMER.MSG.NEXT.${matchStream}.${consumer}`],
  ["acknowledge a match", "publish", `$JS.ACK.${matchStream}.${matchConsumer}.1.1.1.1.0`, ["notification_consumer"]],
  [
    "see how far the consumer of matches is",
    "publish",
    `$JS.API.CONSUMER.INFO.${matchStream}.${matchConsumer}`,
    ["notification_api", "notification_consumer", "matchmaking_relay"],
  ],
  ["look at the stream of matches", "publish", `$JS.API.STREAM.INFO.${matchStream}`, ["notification_consumer", "matchmaking_relay"]],
  ["purge the stream of matches", "publish", `$JS.API.STREAM.PURGE.${matchStream}`],
  ["reply to the API of entitlement", "publish", "_INBOX_entitlement_api.reply"],
  ["reply to the consumer", "publish", "_INBOX_notification_consumer.reply"],
  ["hint", "publish", "notification.inbox.token", ["notification_consumer", "notification_sender"]],
  ["receive hints", "subscription", "notification.inbox.token", ["gateway_api"]],
  ["receive everything of notification", "subscription", "notification.>"],
  ...roles.map((role): Attempt => [`receive the replies of ${role}`, "subscription", `_INBOX_${role}.>`, [role]]),
  ["receive replies of clients without a prefix", "subscription", "_INBOX.>"],
  ["receive everything", "subscription", ">"],
  ["receive everything of one token", "subscription", "*"],
  ["receive everything of JetStream", "subscription", "$JS.>"],
  ["receive acknowledgements", "subscription", "$JS.ACK.>"],
  ["receive what the server tells about itself", "subscription", "$SYS.>"],
  ["publish anything else", "publish", "anything.else"],
  ["pull events", "publish", `$JS.API.CONSUMER.MSG.NEXT.${stream}.${consumer}`, ["notification_consumer"]],
  ["pull from another consumer", "publish", `$JS.API.CONSUMER.MSG.NEXT.${stream}.other`],
  ["pull from another stream", "publish", `$JS.API.CONSUMER.MSG.NEXT.other.${consumer}`],
  ["acknowledge an event", "publish", `$JS.ACK.${stream}.${consumer}.1.1.1.1.0`, ["notification_consumer"]],
  ["acknowledge for another consumer", "publish", `$JS.ACK.${stream}.other.1.1.1.1.0`],
  ["acknowledge in another stream", "publish", `$JS.ACK.other.${consumer}.1.1.1.1.0`],
  ["look at the stream", "publish", `$JS.API.STREAM.INFO.${stream}`, ["entitlement_api", "entitlement_relay", "notification_consumer"]],
  ["look at another stream", "publish", "$JS.API.STREAM.INFO.other"],
  ["create the stream", "publish", `$JS.API.STREAM.CREATE.${stream}`, ["entitlement_api", "entitlement_relay"]],
  ["create another stream", "publish", "$JS.API.STREAM.CREATE.mine"],
  ["change the stream", "publish", `$JS.API.STREAM.UPDATE.${stream}`],
  ["delete the stream", "publish", `$JS.API.STREAM.DELETE.${stream}`],
  ["purge the stream", "publish", `$JS.API.STREAM.PURGE.${stream}`],
  ["read a message of the stream", "publish", `$JS.API.STREAM.MSG.GET.${stream}`],
  ["read one directly", "publish", `$JS.API.DIRECT.GET.${stream}`],
  ["delete a message of the stream", "publish", `$JS.API.STREAM.MSG.DELETE.${stream}`],
  ["copy the stream", "publish", `$JS.API.STREAM.SNAPSHOT.${stream}`],
  ["restore the stream", "publish", `$JS.API.STREAM.RESTORE.${stream}`],
  ["list the streams", "publish", "$JS.API.STREAM.NAMES"],
  ["look at the account", "publish", "$JS.API.INFO"],
  [
    "see how far the consumer is",
    "publish",
    `$JS.API.CONSUMER.INFO.${stream}.${consumer}`,
    ["entitlement_relay", "notification_api", "notification_consumer"],
  ],
  ["list the consumers", "publish", `$JS.API.CONSUMER.NAMES.${stream}`],
  ["create the consumer", "publish", `$JS.API.CONSUMER.CREATE.${stream}.${consumer}`, ["notification_consumer"]],
  ["create another consumer", "publish", `$JS.API.CONSUMER.CREATE.${stream}.spy`],
  ["create another consumer with a filter", "publish", `$JS.API.CONSUMER.CREATE.${stream}.spy.entitlement.events`],
  ["create a consumer without a name", "publish", `$JS.API.CONSUMER.CREATE.${stream}`],
  ["create a durable consumer the old way", "publish", `$JS.API.CONSUMER.DURABLE.CREATE.${stream}.${consumer}`],
  // It replaces its own when the stream was cut.
  ["delete the consumer", "publish", `$JS.API.CONSUMER.DELETE.${stream}.${consumer}`, ["notification_consumer"]],
  ["delete another consumer", "publish", `$JS.API.CONSUMER.DELETE.${stream}.other`],
  ["step down a leader", "publish", `$JS.API.STREAM.LEADER.STEPDOWN.${stream}`],
];

describe("a role may do what it needs and nothing else", () => {
  /** What cannot be allowed by mistake without being noticed: another stream with a consumer and a message. */
  async function bystander(): Promise<() => Promise<unknown>> {
    const manager = await jetstreamManager(await connectAs("administrator"));
    await manager.streams.add({ name: "other", subjects: ["other.>"] });
    await manager.consumers.add("other", { durable_name: consumer, ack_policy: "explicit" });
    return async () => ({
      streams: (await manager.streams.list().next()).map(({ config }) => config.name).toSorted(),
      consumers: (await manager.consumers.list("other").next()).map(({ name }) => name),
    });
  }
  let see: () => Promise<unknown>;
  beforeAll(async () => {
    see = await bystander();
  });

  test.each(roles)("%s", async role => {
    const nats = await connectAs(role);
    const refused = new Set<string>();
    void (async () => {
      for await (const status of nats.status())
        if (status.type === "error" && status.error instanceof errors.PermissionViolationError)
          refused.add(`${status.error.operation} ${status.error.subject}`);
    })();
    for (const [, operation, subject] of attempts) {
      if (operation === "publish") nats.publish(subject, "", { reply: `_INBOX_${role}.answer` });
      else nats.subscribe(subject, { callback: () => {} });
    }
    await nats.flush();
    const keyOf = ([, operation, subject]: Attempt) => `${operation} ${subject}`;
    const forbidden = attempts.filter(([, , , allowed = []]) => !allowed.includes(role));
    await until("every refusal has come", 10_000, () => refused.size >= forbidden.length).catch(() => {});
    const outcome = (isRefused: (one: Attempt) => boolean) => attempts.filter(isRefused).map(([what]) => what);
    expect(outcome(one => refused.has(keyOf(one)))).toEqual(outcome(one => forbidden.includes(one)));
    expect(await see()).toEqual({ streams: [stream, "other"], consumers: [consumer] });
  });

  test("nobody connects without a password, or with that of another", async () => {
    const { host } = new URL(stack.nats.url);
    const stolen = new URL(stack.nats.roleUrls.GATEWAY_API_NATS_URL!).password;
    for (const login of ["", `administrator:${stolen}@`, `entitlement_relay:${stolen}@`])
      await expect(connectTo(`nats://${login}${host}`, { reconnect: false })).rejects.toThrow(/Authorization Violation/i);
  });
});
