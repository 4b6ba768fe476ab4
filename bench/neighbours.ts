import type postgres from "postgres";
import { limitSettings } from "../server/gateway/config.ts";
import { listSettings } from "../server/kernel/config/config.ts";
import { testBrowser } from "../server/testing/browser.ts";
import { entitlements, outboxEvents } from "../server/testing/entitlement_rows.ts";
import { gatewayPlace, startGateway } from "../server/testing/gateway.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { quoted } from "../server/testing/rows.ts";
import { type Attack, startAttack } from "./attacker.ts";
import type { GatewayServers } from "./gateway.ts";
import { type Figure, ms, percentile } from "./measure.ts";

const rounds = 3;
const [quietFor, attackedFor] = [3000, 5000];
const rest = 15;
const failedRows = 150_000;
const holdings = 5000;

// The gateway with its defaults: the limits are part of the measurement.
const defaults = Object.fromEntries(listSettings(limitSettings).flatMap(({ variable, preset }) => (preset ? [[variable, preset]] : [])));

// Log lines would go through a pipe to this process, which is busy measuring, and the services would wait for it.
const quietly = { LOG_REQUESTS: "off" };

interface NamedAttack extends Attack {
  readonly what: string;
  /** How long its last requests may still run after it has ended. */
  readonly calm: number;
}

/** The latency of other callers while one caller sends as much as it can, compared with their latency without it, in turns. */
export async function neighbours(kenri: TestKenri, { redis, idp }: GatewayServers): Promise<Figure[]> {
  const place = await gatewayPlace();
  for (const system of ["account", "entitlement", "notification"])
    await kenri.start(`${system}:api`, { ...place.forServices, OPS_ANSWERS_FOR: "1s", ...quietly });
  const { url } = await startGateway(kenri, place, {
    REDIS_URL: redis.url,
    OIDC_ISSUER: idp.issuer,
    OIDC_CLIENT_ID: idp.clientId,
    OIDC_CLIENT_SECRET: idp.clientSecret,
    ...defaults,
    ...quietly,
  });
  const signedIn = async (name: string) => {
    const browser = testBrowser();
    await browser.signIn(url, name);
    const { user_id } = (await (await browser.fetch(`${url}/v1/me`)).json()) as { user_id: string };
    return { userId: user_id, cookie: [...browser.cookies].map(([key, value]) => `${key}=${value}`).join("; ") };
  };
  const [innocent, ...sessions] = [await signedIn("bob"), ...(await Promise.all(Array.from({ length: 6 }, () => signedIn("alice"))))];
  const greedy = sessions[0]!;
  await fillFailed(kenri.entitlementSql);
  await fillHoldings(kenri.entitlementSql, greedy.userId);

  const innocents = await innocentCalls(kenri, url, innocent!);
  await measure(innocents, quietFor);
  const figures: Figure[] = [];
  for (const attack of await attacks(kenri, url, greedy.userId, sessions)) figures.push(...(await under(attack, innocents)));
  return figures;
}

async function attacks(
  kenri: TestKenri,
  gateway: string,
  greedy: string,
  sessions: readonly { readonly cookie: string }[],
): Promise<NamedAttack[]> {
  const entitlement = kenri.urlOf("entitlement");
  const bearer = async (client: string, scope: string) => ({ authorization: `Bearer ${await kenri.newKey(client, [scope])}` });
  const json = { "content-type": "application/json" };
  const operator = { ...(await bearer("operator", "ops:write")), ...json };
  const reader = await bearer("reader", "entitlements:read");
  const writer = { ...(await bearer("writer", "entitlements:write")), ...json, "idempotency-key": "key-{n}" };
  const pair = JSON.stringify({ user_id: "hot", stock_keeping_unit: "item", reason: "purchase", purchase_id: "p_1" });
  const profile = `${gateway}/v1/users/${greedy}/profile`;
  return [
    {
      what: `one operator previews ${failedRows.toLocaleString("en")} FAILED rows, 32 at once`,
      inFlight: 32,
      calm: 1000,
      // Different sets, so that each is counted anew.
      requests: Array.from({ length: 100 }, (_, n) => ({
        url: `${entitlement}/ops/outbox/bulk/preview`,
        method: "POST",
        headers: operator,
        body: JSON.stringify({ action: "requeue", filter: { min_attempts: n + 1 } }),
      })),
    },
    {
      what: `one client reads a user with ${holdings.toLocaleString("en")} holdings, 16 at once`,
      inFlight: 16,
      calm: 1000,
      requests: [{ url: `${entitlement}/v1/users/${greedy}/entitlements`, headers: reader }],
    },
    {
      what: `that user asks for the profile, 16 at once`,
      inFlight: 16,
      calm: 1000,
      requests: [{ url: profile, headers: { cookie: sessions[0]!.cookie } }],
    },
    {
      what: "one client changes one pair, 5,600 at once",
      inFlight: 5600,
      respectsRetryAfter: true,
      // CHANGE_WAIT
      calm: 6000,
      requests: ["grants", "revokes"].map(change => ({
        url: `${entitlement}/v1/entitlements/${change}`,
        method: "POST",
        headers: writer,
        body: pair,
      })),
    },
    {
      what: `one user with ${sessions.length} sessions asks who they are and for the profile, 48 at once`,
      inFlight: 48,
      calm: 1000,
      requests: sessions.flatMap(({ cookie }) => [`${gateway}/v1/me`, profile].map(url => ({ url, headers: { cookie } }))),
    },
  ];
}

interface Innocent {
  readonly what: string;
  readonly ask: (n: number) => Promise<Response>;
}

async function innocentCalls(
  kenri: TestKenri,
  gateway: string,
  { userId, cookie }: { userId: string; cookie: string },
): Promise<Innocent[]> {
  const authorization = `Bearer ${await kenri.newKey("innocent", ["entitlements:read", "entitlements:write"])}`;
  const run = crypto.randomUUID();
  return [
    { what: "grant", ask: n => kenri.grant(`${run}-${n}`, "item", { headers: { authorization } }) },
    { what: "read", ask: () => kenri.call("entitlement", `/v1/users/${userId}/entitlements`, { headers: { authorization } }) },
    { what: "readyz", ask: () => fetch(`${kenri.urlOf("entitlement")}/readyz`) },
    { what: "own profile", ask: () => fetch(`${gateway}/v1/users/${userId}/profile`, { headers: { cookie } }) },
  ];
}

interface Times {
  readonly times: number[];
  readonly errors: number;
}

let asked = 0;

/** Runs the calls of the other callers for this time: sequential calls of each kind, all kinds in parallel. */
const measure = (innocents: readonly Innocent[], milliseconds: number): Promise<Times[]> =>
  Promise.all(
    innocents.map(async ({ what, ask }) => {
      const times: number[] = [];
      let errors = 0;
      const end = performance.now() + milliseconds;
      while (performance.now() < end) {
        const since = performance.now();
        const response = await ask(asked++);
        await response.arrayBuffer();
        times.push(performance.now() - since);
        if (response.status >= 500) errors++;
        else if (response.status !== 200) throw new Error(`${what}: ${response.status}`);
        // A session may send ten requests a second.
        await Bun.sleep(what === "own profile" ? 10 * rest : rest);
      }
      return { times, errors };
    }),
  );

async function under(attack: NamedAttack, innocents: readonly Innocent[]): Promise<Figure[]> {
  const [quiet, attacked]: [Times[][], Times[][]] = [[], []];
  const statuses: Record<string, number> = {};
  for (let round = 0; round < rounds; round++) {
    quiet.push(await measure(innocents, quietFor));
    const running = startAttack(attack);
    await running.underWay;
    attacked.push(await measure(innocents, attackedFor));
    for (const [status, count] of Object.entries(await running.stop())) statuses[status] = (statuses[status] ?? 0) + count;
    await Bun.sleep(attack.calm);
  }
  console.error(`  ${attack.what}: the attacker got ${JSON.stringify(statuses)}`);
  return innocents.map(({ what }, n) => {
    const p95 = (runs: readonly Times[][]) =>
      percentile(
        runs.flatMap(run => run[n]!.times),
        95,
      );
    const errors = attacked.reduce((sum, run) => sum + run[n]!.errors, 0);
    const [time, base] = [p95(attacked), p95(quiet)];
    return {
      what: `${what}, p95, while ${attack.what}`,
      value: `${ms(time)}, ${errors} × 5xx`,
      against: `without: ${ms(base)}`,
      ratio: time / base,
      goal: "≤ 3, no 5xx",
    };
  });
}

const fillFailed = (sql: postgres.Sql) =>
  sql.unsafe(
    outboxEvents.text(
      {
        event_id: "uuidv7(-age)",
        user_id: "'failed-' || n",
        traceparent: "'00-' || md5('trace' || n) || '-00f067aa0ba902b7-01'",
        status: "'FAILED'",
        attempt_count: 100,
        last_error: "'cause ' || n % 37 || ': the stream gave up'",
        failed_at: "now() - age",
        created_at: "now() - age",
      },
      `generate_series(1, ${failedRows}) n, lateral (select interval '1 day' * (1 - n / ${failedRows}::float8) as age) a order by n`,
    ),
  );

const fillHoldings = (sql: postgres.Sql, user: string) =>
  sql.unsafe(entitlements.text({ user_id: quoted(user), stock_keeping_unit: "'item-' || n" }, `generate_series(1, ${holdings}) n`));
