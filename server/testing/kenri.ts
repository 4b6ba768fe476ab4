import postgres from "postgres";
import { roleUrls } from "../../stack/nats_users.ts";
import { prefixOf } from "../kernel/config/system_settings.ts";
import { newKey } from "../kernel/http/auth.ts";
import { takesKeys } from "../kernel/system/system.ts";
import { allScopes, type SystemName, systems } from "../systems.ts";
import { type TestDatabase, testDatabase, testServer } from "./databases.ts";
import { startProcess, sumOf, type TestProcess } from "./process.ts";
import { testRedisUrl } from "./redis.ts";
import type { TestMint } from "./tokens.ts";

export type { TestProcess };

export interface Servers {
  readonly postgresUrl: string;
  /** As the administrator. */
  readonly natsUrl: string;
  /** The URLs of the roles. By default those of the server that `bun run test` started. */
  readonly natsRoleUrls?: Record<string, string>;
  /** For matchmaking. */
  readonly redisUrl?: string;
}

/** A system behind the gateway. */
export type TestSystem = Exclude<SystemName, "gateway">;

export interface TestStore {
  readonly database: TestDatabase;
  /** As the superuser, to look and to break things. */
  readonly sql: postgres.Sql;
}

/** The systems on databases and streams of their own. Every setting can be overridden by its environment variable. */
export interface TestKenri {
  readonly environment: Record<string, string>;
  readonly entitlement: TestDatabase;
  readonly notification: TestDatabase;
  readonly entitlementSql: postgres.Sql;
  readonly notificationSql: postgres.Sql;
  /** The database of a system. Those of entitlement and notification always exist, the others after their system was started. */
  store(system: TestSystem): TestStore;
  /** Makes the database of a system before its start. */
  makeStore(system: TestSystem): Promise<void>;
  account(): TestStore;
  readonly key: string;
  /** Starts a process and waits for nothing. */
  launch(what: string, environment?: Record<string, string>): TestProcess;
  /** Starts a process; APIs are ready then. */
  start(what: string, environment?: Record<string, string>): Promise<TestProcess>;
  isStarted(system: TestSystem): boolean;
  /** The URL of an API that was started. */
  urlOf(system: TestSystem): string;
  /** The detailed health of a system. */
  readiness(system: TestSystem): Promise<Readiness>;
  grant(user: string, sku: string, options?: ChangeOptions): Promise<Response>;
  revoke(user: string, sku: string, options?: ChangeOptions): Promise<Response>;
  call(system: TestSystem, path: string, init?: RequestInit): Promise<Response>;
  inbox(user: string): Promise<InboxRow[]>;
  metric(system: TestSystem, name: string, labels?: string): Promise<number>;
  newKey(client: string, scopes: readonly string[], expiresInDays?: number): Promise<string>;
  close(): Promise<void>;
}

export interface Readiness {
  readonly status: string;
  readonly degraded?: Readonly<Record<string, string>>;
}

export interface ChangeOptions {
  readonly key?: string;
  readonly reason?: string;
  readonly purchase?: string;
  readonly headers?: Record<string, string>;
  readonly base?: string;
}

export interface InboxRow {
  readonly notification_id: string;
  readonly event_id: string;
  readonly type: string;
  readonly status: string;
  readonly stale: boolean;
  readonly sent_at: string | null;
  readonly trace_id: string;
  readonly payload: { readonly version: number; readonly stock_keeping_unit: string; readonly trace_id: string };
}

/** Both systems in one thread: their start needs a third of the CPU of `entitlement notification` with its worker threads. */
export const allRoles = "entitlement:api entitlement:relay notification:api notification:consumer notification:sender";

const served = systems.filter(({ name }) => name !== "gateway");
// Nearly every test uses these; the others are made when their system starts.
const always = ["entitlement", "notification"] as const;

// Leases and polls are short enough for a test and long enough for a busy machine. Lists are not shared, so that a test sees its own changes at
// once.
const quick = {
  KENRI_ENV: "test",
  NODE_ENV: "production",
  LOG_LEVEL: "info",
  ...Object.fromEntries(served.map(({ name }) => [`${prefixOf(name)}_PORT`, "0"])),
  HEALTH_PORT: "0",
  OUTBOX_POLL: "100ms",
  OUTBOX_SWEEP: "200ms",
  OUTBOX_RECONCILE: "200ms",
  NOTIFICATION_POLL: "100ms",
  NOTIFICATION_SWEEP: "200ms",
  ERASURE_EVERY: "200ms",
  ORDERS_POLL: "100ms",
  ORDERS_SWEEP: "200ms",
  MATCHER_INTERVAL: "50ms",
  MATCH_POLL: "50ms",
  MATCH_CONFIRM: "200ms",
  // Nobody listens there. Tests that send orders start a paper broker.
  BROKER_URL: "http://127.0.0.1:9",
  SHUTDOWN_NOTICE: "300ms",
  OPS_ANSWERS_FOR: "0ms",
  EVENT_SIGNING_KEYS: `test:${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")}`,
  // Most tests run without a gateway, which confirms people's roles.
  BULK_CONFIRMED_FOR: "1h",
};

/** `mint` replaces the gateway: the systems accept its tokens. */
export async function testKenri(
  environment: Record<string, string> = {},
  servers: Servers = { postgresUrl: testServer(), natsUrl: testNats(), redisUrl: testRedisUrl() },
  mint?: TestMint,
): Promise<TestKenri> {
  const id = crypto.randomUUID().slice(0, 8);
  const settings: Record<string, string> = {
    ...quick,
    NATS_URL: servers.natsUrl,
    ...(environment.NATS_URL ? {} : (servers.natsRoleUrls ?? roleUrls(servers.natsUrl))),
    ENTITLEMENT_STREAM: `entitlement-events-${id}`,
    ENTITLEMENT_SUBJECT: `entitlement.events.${id}`,
    TAKEN_IN_SUBJECT: `notification.taken-in.${id}`,
    MATCHMAKING_STREAM: `matchmaking-events-${id}`,
    MATCHMAKING_SUBJECT: `matchmaking.events.${id}`,
    ANNOUNCED_SUBJECT: `notification.announced.${id}`,
    ...(mint ? { GATEWAY_JWKS_URL: mint.jwksUrl } : {}),
    INBOX_SUBJECT: `notification.inbox.${id}`,
    ...(servers.redisUrl ? { REDIS_URL: servers.redisUrl } : {}),
    MATCHMAKING_PREFIX: `kenri:matchmaking:${id}`,
    ...environment,
  };
  const open = (url: string) =>
    postgres(url, {
      max: 4,
      backoff: () => 0.05,
      onnotice: () => {},
      types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
    });
  const stores = new Map<string, TestStore>();
  const keys: StoredKey[] = [];
  const processes: TestProcess[] = [];
  const urls = new Map<string, string>();
  const healthUrls = new Map<string, string>();

  /** The database of a system, with the keys that were made before it. */
  async function makeStore(system: TestSystem): Promise<void> {
    if (stores.has(system) || !declared(system).database) return;
    const database = await testDatabase(system, servers.postgresUrl);
    const made = { database, sql: open(database.adminUrl) };
    stores.set(system, made);
    const urls = { DATABASE_URL: database.ownerUrl, APP_DATABASE_URL: database.appUrl };
    for (const [name, url] of Object.entries(urls)) settings[`${prefixOf(system)}_${name}`] ??= url;
    if (takesKeys(declared(system))) for (const one of keys) await addKey(made.sql, one);
  }

  async function makeKey(client: string, wanted: readonly string[], expiresInDays?: number): Promise<string> {
    const { key, keyId, secretSha256 } = newKey();
    const expires_at = expiresInDays === undefined ? null : new Date(Date.now() + expiresInDays * 86_400_000);
    const stored = { key_id: keyId, client_id: client, secret_sha256: secretSha256, scopes: [...wanted], expires_at };
    keys.push(stored);
    for (const [system, { sql }] of stores) if (takesKeys(declared(system))) await addKey(sql, stored);
    return key;
  }

  await Promise.all(always.map(makeStore));
  const key = await makeKey("tester", allScopes);
  const store = (system: TestSystem): TestStore => {
    const made = stores.get(system);
    if (!made) throw new Error(`${system} was not started`);
    return made;
  };

  const kenri: TestKenri = {
    environment: settings,
    entitlement: store("entitlement").database,
    notification: store("notification").database,
    entitlementSql: store("entitlement").sql,
    notificationSql: store("notification").sql,
    store,
    makeStore,
    account: () => store("account"),
    key,
    newKey: makeKey,
    launch(what, extra = {}) {
      const started = startProcess(what, { ...settings, ...extra });
      processes.push(started);
      return started;
    },
    async start(what, extra) {
      const names = what.split(" ");
      for (const { name } of served) if (names.some(one => one.split(":")[0] === name)) await makeStore(name as TestSystem);
      const started = kenri.launch(what, extra);
      for (const { name: system } of served) {
        if (![system, `${system}:api`].some(name => names.includes(name))) continue;
        await started.logged(`"system":"${system}","msg":"ready"`);
        const line = started.lines.find(text => text.includes("http.listening") && text.includes(`"role":"${system}:api"`));
        urls.set(system, JSON.parse(line!).url);
        healthUrls.set(system, await started.healthUrl(`${system}:api`));
      }
      return started;
    },
    isStarted: system => urls.has(system),
    urlOf(system) {
      const url = urls.get(system);
      if (!url) throw new Error(`the API of ${system} was not started`);
      return url;
    },
    readiness: async system => (await (await fetch(`${healthUrls.get(system)}/readyz`)).json()) as Readiness,
    grant: (user, sku, options) => change("grants", user, sku, options),
    revoke: (user, sku, options) => change("revokes", user, sku, options),
    call: (system, path, init = {}) =>
      fetch(`${kenri.urlOf(system)}${path}`, { ...init, headers: { authorization: `Bearer ${key}`, ...init.headers } }),
    async inbox(user) {
      const response = await kenri.call("notification", `/debug/notification/inbox/${encodeURIComponent(user)}?limit=200`);
      if (response.status !== 200) throw new Error(`inbox: ${response.status} ${await response.text()}`);
      return ((await response.json()) as { notifications: InboxRow[] }).notifications;
    },
    async metric(system, name, labels = "") {
      return sumOf(await (await fetch(`${healthUrls.get(system)}/metrics`)).text(), name, labels);
    },
    async close() {
      for (const one of processes) one.kill("SIGKILL");
      await Promise.all(processes.map(one => one.exited));
      await Promise.all([...stores.values()].map(({ sql }) => sql.end({ timeout: 1 })));
      await Promise.all([...stores.values()].map(({ database }) => database.drop().catch(() => {})));
    },
  };

  function change(
    route: string,
    user: string,
    sku: string,
    { key: idempotencyKey = crypto.randomUUID(), reason = "purchase", purchase = "p_1", headers = {}, base }: ChangeOptions = {},
  ) {
    return fetch(`${base ?? kenri.urlOf("entitlement")}/v1/entitlements/${route}`, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": idempotencyKey, ...headers },
      body: JSON.stringify({ user_id: user, stock_keeping_unit: sku, reason, purchase_id: purchase }),
    });
  }

  return kenri;
}

const declared = (name: string) => systems.find(system => system.name === name)!;

interface StoredKey {
  readonly key_id: string;
  readonly client_id: string;
  readonly secret_sha256: Buffer;
  readonly scopes: string[];
  readonly expires_at: Date | null;
}

async function addKey(sql: postgres.Sql, { key_id, client_id, secret_sha256, scopes, expires_at }: StoredKey): Promise<void> {
  await sql`insert into api_keys (key_id, client_id, secret_sha256, scopes, expires_at) values (${key_id}, ${client_id}, ${secret_sha256}, ${scopes}, ${expires_at})`;
}

export function testNats(): string {
  const url = process.env.KENRI_TEST_NATS_URL;
  if (!url) throw new Error("no test servers: run the tests with `bun run test [files]`");
  return url;
}
