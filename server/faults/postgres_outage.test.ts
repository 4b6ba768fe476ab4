import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { allRoles, type TestKenri, testKenri, testNats } from "../testing/kenri.ts";
import { type LogLine, linesSince } from "../testing/log_lines.ts";
import { type TestProxy, tcpProxy } from "../testing/proxy.ts";
import { privateServers } from "../testing/servers.ts";
import { disorderInStream } from "../testing/stream.ts";
import { countOf, traffic } from "../testing/traffic.ts";

const short = { OUTBOX_LEASE: "2s", NOTIFICATION_LEASE: "2s", CONSUMER_ACK_WAIT: "2s", OUTBOX_OVERDUE: "2s", HEALTH_PORT: "0" };

async function withOwnPostgres(what: string, environment: Record<string, string> = {}) {
  const servers = await privateServers("postgres");
  const kenri = await testKenri({ ...short, ...environment }, { postgresUrl: servers.postgres.adminUrl, natsUrl: testNats() });
  closeAtEnd(async () => {
    servers.postgres.resume();
    await kenri.close();
    await servers.stop();
  });
  const everything = await kenri.start(what);
  const load = traffic(kenri, { pause: 60 });
  await until(
    "the pipeline runs",
    60_000,
    async () => (await kenri.notificationSql`select from notifications where status = 'SENT'`).length > 20,
  );
  return { kenri, postgres: servers.postgres, everything, load };
}

/** A new grant is answered and delivered. */
const isBack = async (kenri: TestKenri, user: string) => {
  const response = await kenri.grant(user, "item", { key: user });
  await response.arrayBuffer();
  return (
    response.status === 200 &&
    (await kenri.notificationSql`select from notifications where user_id = ${user} and status = 'SENT'`).length === 1
  );
};

test.concurrent("PostgreSQL killed with -9 under load, twice: no process dies, requests work within 5 s of its return, no change answered 200 is missing", async () => {
  const { kenri, postgres, everything, load } = await withOwnPostgres("entitlement notification");
  const logged = everything.lines.length;
  for (const round of ["first", "second"]) {
    await postgres.halt();
    const refused = load.ledger.answers.get(503) ?? 0;
    await until("requests are refused", 10_000, () => (load.ledger.answers.get(503) ?? 0) > refused);
    await postgres.start();
    load.ledger.asked.set(`${round}:item`, 1);
    await until(`service is back after the ${round} time`, 5000, () => isBack(kenri, round));
  }
  await until("many changes are granted", 30_000, () => countOf(load.ledger.granted) > 100);
  const ledger = await load.stop();
  expect([...ledger.answers.keys()].sort()).toEqual([200, 503]);
  await drained(kenri);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
  expect(everything.lines.filter(line => /ended_unasked|worker.error|unhandled|http.failed/.test(line))).toEqual([]);
  // A role with few statements notices late that it is over, and says so when it has worked for 5 s.
  await until("every role says that it is over", 30_000, () => outageOf(linesSince(everything, logged)).isOver);
  expect(await everything.stop()).toBe(0);
  expect(outageOf(linesSince(everything, logged))).toEqual({
    first: "database.away",
    isExplained: true,
    isBounded: true,
    isCounted: true,
    isOver: true,
  });
});

/** What the log says about an outage of PostgreSQL: first what is wrong, then sums, then that it is over. Few lines for many failed statements. */
function outageOf(lines: readonly LogLine[]) {
  const [first] = lines;
  const roles = new Set(lines.filter(({ msg }) => msg === "database.away").map(({ role }) => role));
  const back = lines.filter(({ msg }) => msg === "database.back");
  return {
    first: first?.msg,
    isExplained: /^The database 127\.0\.0\.1:\d+\/\S+ does not answer as it should\. .* Check that PostgreSQL runs/.test(
      String(first?.says),
    ),
    isBounded: lines.filter(({ level }) => level !== "info").length < 6 * roles.size,
    isCounted: back.reduce((sum, { failures }) => sum + Number(failures), 0) > 10 * roles.size,
    isOver: [...roles].every(role => back.some(line => line.role === role)),
  };
}

test.concurrent("PostgreSQL hangs for some seconds: requests answer 503 with Retry-After within the deadline, and it recovers", async () => {
  const { kenri, postgres, everything, load } = await withOwnPostgres(allRoles, {
    DATABASE_DEADLINE: "1s",
    CHANGE_LANES: "1",
    CHANGE_BATCH: "10",
  });
  // A key that is in the cache, so that the requests reach the change statement.
  const headers = { authorization: `Bearer ${await kenri.newKey("other", ["entitlements:write"])}` };
  expect((await kenri.grant("late", "item", { headers })).status).toBe(200);
  postgres.pause();
  // Many more than one connection runs at once: the waiting requests are refused too, and all at the same time.
  const since = performance.now();
  const answers = await Promise.all(Array.from({ length: 100 }, (_, index) => kenri.grant(`late-${index}`, "item", { headers })));
  expect(answers.map(answer => answer.status)).toEqual(answers.map(() => 503));
  expect(answers.map(answer => answer.headers.get("retry-after"))).toEqual(answers.map(() => "1"));
  expect(performance.now() - since).toBeLessThan(2500);
  expect((await kenri.call("entitlement", "/readyz")).status).toBe(503);
  expect((await kenri.call("entitlement", "/livez")).status).toBe(200);
  await until("it hangs for some seconds", 10_000, () => performance.now() - since > 4000);
  postgres.resume();
  for (let index = 0; index < 100; index++) load.ledger.asked.set(`late-${index}:item`, 1);
  for (const user of ["late", "new"]) load.ledger.asked.set(`${user}:item`, 1);
  await until("service is back", 5000, () => isBack(kenri, "new"));
  const ledger = await load.stop();
  expect([...ledger.answers.keys()].sort()).toEqual([200, 503]);
  expect(ledger.slowest()).toBeLessThan(3000);
  await drained(kenri);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  expect(await everything.stop()).toBe(0);
});

/** Both systems on the shared servers; the connections of the given role go through a proxy. */
async function through(proxies: (kenri: TestKenri) => Promise<{ proxy: TestProxy; environment: Record<string, string> }>, roles: string) {
  const kenri = await testKenri(short);
  const { proxy, environment } = await proxies(kenri);
  closeAtEnd(async () => {
    await kenri.close();
    await proxy.close();
  });
  await kenri.start(roles, environment);
  return { kenri, proxy };
}

test.concurrent("the response of PostgreSQL is lost after COMMIT: the client gets 503, its retry with the same key gets the stored response; one effect", async () => {
  const key = "the-answer-to-this-one-is-lost";
  let armed = true;
  const { kenri, proxy } = await through(async ({ entitlement }) => {
    const proxy = await tcpProxy(entitlement.appUrl, {
      cutsAnswerTo: piece => {
        if (!armed || !piece.includes(key)) return false;
        armed = false;
        return true;
      },
    });
    return { proxy, environment: { ENTITLEMENT_APP_DATABASE_URL: proxy.url } };
  }, allRoles);
  const lost = await kenri.grant("lucy", "item", { key });
  expect(lost.status).toBe(503);
  expect(proxy.cuts()).toBe(1);
  expect(await kenri.entitlementSql`select from entitlements where user_id = 'lucy' and status = 'ACTIVE'`).toHaveLength(1);
  const again = await kenri.grant("lucy", "item", { key });
  expect(again.status).toBe(200);
  expect(again.headers.get("idempotency-replayed")).toBe("true");
  expect(await again.json()).toMatchObject({ user_id: "lucy", status: "ACTIVE", version: 1 });
  await drained(kenri);
  expect(await kenri.inbox("lucy")).toHaveLength(1);
  expect(await kenri.entitlementSql`select from outbox_events`).toHaveLength(1);
});

test.concurrent("one response of PostgreSQL in fifty is cut midway, for every role: everything is delivered once", async () => {
  let pieces = 0;
  const { kenri, proxy } = await through(async ({ entitlement, notification }) => {
    const proxy = await tcpProxy(entitlement.appUrl, { cutsAt: () => ++pieces % 50 === 0 });
    const behind = (url: string) => Object.assign(new URL(url), { host: new URL(proxy.url).host }).toString();
    return {
      proxy,
      environment: { ENTITLEMENT_APP_DATABASE_URL: behind(entitlement.appUrl), NOTIFICATION_APP_DATABASE_URL: behind(notification.appUrl) },
    };
  }, allRoles);
  const load = traffic(kenri, { pause: 30 });
  await until("connections were cut again and again", 60_000, () => proxy.cuts() > 20 && countOf(load.ledger.granted) > 200);
  const ledger = await load.stop();
  await drained(kenri);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
  expect(await disorderInStream(kenri)).toEqual([]);
});
