import postgres from "postgres";
import { roleUrls } from "../../stack/nats_users.ts";
import { newKey, scopes } from "../kernel/http/auth.ts";
import { type TestDatabase, testDatabase, testServer } from "./databases.ts";
import { startProcess, sumOf, type TestProcess } from "./process.ts";
import type { TestMint } from "./tokens.ts";

export type { TestProcess };

export interface Servers {
  readonly postgresUrl: string;
  /** As the administrator. */
  readonly natsUrl: string;
  /** What the roles connect with; those of a server that `bun run test` started, unless told. */
  readonly natsRoleUrls?: Record<string, string>;
}

export type TestSystem = "entitlement" | "notification" | "account";

/** The systems on databases and streams of their own. Every setting can be overridden by its environment variable. */
export interface TestKenri {
  readonly environment: Record<string, string>;
  readonly entitlement: TestDatabase;
  readonly notification: TestDatabase;
  /** As the superuser, for looking and for breaking things. */
  readonly entitlementSql: postgres.Sql;
  readonly notificationSql: postgres.Sql;
  /** Account's database, once it was started: it is made then, so that tests without it do not pay for it. */
  account(): { readonly database: TestDatabase; readonly sql: postgres.Sql };
  readonly key: string;
  /** Starts a process and waits for nothing. */
  launch(what: string, environment?: Record<string, string>): TestProcess;
  /** Starts a process; APIs are ready then. */
  start(what: string, environment?: Record<string, string>): Promise<TestProcess>;
  /** The URLs of the APIs that were started. */
  urlOf(system: TestSystem): string;
  /** What the API of a system says of its health, in detail. */
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

/** Both systems in one thread: a third of the CPU that `entitlement notification` with its worker threads takes to start. */
export const allRoles = "entitlement:api entitlement:relay notification:api notification:consumer notification:sender";

// Short enough that what waits for a lease or a poll does not make a test wait, long enough for a busy machine. What a test changes behind the
// API's back it sees at once.
const quick = {
  KENRI_ENV: "test",
  NODE_ENV: "production",
  LOG_LEVEL: "info",
  ENTITLEMENT_PORT: "0",
  NOTIFICATION_PORT: "0",
  ACCOUNT_PORT: "0",
  HEALTH_PORT: "0",
  OUTBOX_POLL: "100ms",
  OUTBOX_SWEEP: "200ms",
  OUTBOX_RECONCILE: "200ms",
  NOTIFICATION_POLL: "100ms",
  NOTIFICATION_SWEEP: "200ms",
  SHUTDOWN_NOTICE: "300ms",
  OPS_ANSWERS_FOR: "0ms",
  EVENT_SIGNING_KEYS: `test:${Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url")}`,
  // Most tests have no gateway that confirms people.
  BULK_CONFIRMED_FOR: "1h",
};

/** `mint` stands for the gateway: the systems take its tokens. */
export async function testKenri(
  environment: Record<string, string> = {},
  servers: Servers = { postgresUrl: testServer(), natsUrl: testNats() },
  mint?: TestMint,
): Promise<TestKenri> {
  const [entitlement, notification] = await Promise.all([
    testDatabase("entitlement", servers.postgresUrl),
    testDatabase("notification", servers.postgresUrl),
  ]);
  const id = crypto.randomUUID().slice(0, 8);
  const settings: Record<string, string> = {
    ...quick,
    NATS_URL: servers.natsUrl,
    ...(environment.NATS_URL ? {} : (servers.natsRoleUrls ?? roleUrls(servers.natsUrl))),
    ENTITLEMENT_DATABASE_URL: entitlement.ownerUrl,
    ENTITLEMENT_APP_DATABASE_URL: entitlement.appUrl,
    NOTIFICATION_DATABASE_URL: notification.ownerUrl,
    NOTIFICATION_APP_DATABASE_URL: notification.appUrl,
    ENTITLEMENT_STREAM: `entitlement-events-${id}`,
    ENTITLEMENT_SUBJECT: `entitlement.events.${id}`,
    TAKEN_IN_SUBJECT: `notification.taken-in.${id}`,
    ...(mint ? { GATEWAY_JWKS_URL: mint.jwksUrl } : {}),
    INBOX_SUBJECT: `notification.inbox.${id}`,
    ...environment,
  };
  const open = (url: string) =>
    postgres(url, {
      max: 4,
      backoff: () => 0.05,
      onnotice: () => {},
      types: { bigint: { to: 20, from: [20], parse: Number, serialize: String } },
    });
  const entitlementSql = open(entitlement.adminUrl);
  const notificationSql = open(notification.adminUrl);
  let account: ReturnType<TestKenri["account"]> | undefined;
  const processes: TestProcess[] = [];
  const urls = new Map<string, string>();
  const healthUrls = new Map<string, string>();

  async function makeAccount(): Promise<void> {
    if (account) return;
    const database = await testDatabase("account", servers.postgresUrl);
    account = { database, sql: open(database.adminUrl) };
    Object.assign(settings, { ACCOUNT_DATABASE_URL: database.ownerUrl, ACCOUNT_APP_DATABASE_URL: database.appUrl });
  }

  async function makeKey(client: string, wanted: readonly string[], expiresInDays?: number): Promise<string> {
    const { key, keyId, secretSha256 } = newKey();
    const expires = expiresInDays === undefined ? null : new Date(Date.now() + expiresInDays * 86_400_000);
    for (const sql of [entitlementSql, notificationSql])
      await sql`insert into api_keys (key_id, client_id, secret_sha256, scopes, expires_at) values (${keyId}, ${client}, ${secretSha256}, ${[...wanted]}, ${expires})`;
    return key;
  }
  const key = await makeKey("tester", scopes);

  const kenri: TestKenri = {
    environment: settings,
    entitlement,
    notification,
    entitlementSql,
    notificationSql,
    account() {
      if (!account) throw new Error("account was not started");
      return account;
    },
    key,
    newKey: makeKey,
    launch(what, extra = {}) {
      const started = startProcess(what, { ...settings, ...extra });
      processes.push(started);
      return started;
    },
    async start(what, extra) {
      if (/\baccount\b/.test(what)) await makeAccount();
      const started = kenri.launch(what, extra);
      for (const system of ["entitlement", "notification", "account"] as const) {
        if (![system, `${system}:api`].some(name => what.split(" ").includes(name))) continue;
        await started.logged(`"system":"${system}","msg":"ready"`);
        const line = started.lines.find(text => text.includes("http.listening") && text.includes(`"role":"${system}:api"`));
        urls.set(system, JSON.parse(line!).url);
        healthUrls.set(system, await started.healthUrl(`${system}:api`));
      }
      return started;
    },
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
      await Promise.all([entitlementSql, notificationSql, account?.sql].map(sql => sql?.end({ timeout: 1 })));
      await Promise.all([entitlement, notification, account?.database].map(database => database?.drop().catch(() => {})));
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

export function testNats(): string {
  const url = process.env.KENRI_TEST_NATS_URL;
  if (!url) throw new Error("no test servers: run the tests with `bun run test [files]`");
  return url;
}
