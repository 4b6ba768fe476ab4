import { type TestKenri, testKenri } from "./kenri.ts";
import type { TestProcess } from "./process.ts";
import { type TestMint, testMint } from "./tokens.ts";

export interface TestUser {
  readonly user_id: string;
  readonly account_status: string;
  readonly roles: readonly string[];
  readonly display_name: string | null;
  readonly email: string | null;
  readonly email_verified: boolean;
  readonly picture: string | null;
  readonly locale: string | null;
  readonly created_at: string;
  readonly updated_at: string;
}

/** The caller; the roles are those of its token. */
export interface Asker {
  readonly user_id: string;
  readonly roles: readonly string[];
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** The API of account with a stand-in for the gateway. */
export interface TestAccounts {
  readonly kenri: TestKenri;
  readonly mint: TestMint;
  readonly server: TestProcess;
  /** Sends a request as a caller, or without one. A body that is not a string is sent as JSON. */
  ask(asker: Asker | undefined, method: string, path: string, body?: unknown): Promise<Answer>;
  /** The same, expects 200 and returns the body. */
  get<T = TestUser>(asker: Asker, method: string, path: string, body?: unknown): Promise<T>;
  resolve(identity: Record<string, unknown>): Promise<Answer>;
  /** A signed-in user. */
  user(name: string, roles?: readonly string[]): Promise<TestUser>;
  /** The number of rows in the tables: shows that nothing was written. */
  rows(): Promise<Record<string, number>>;
  close(): Promise<void>;
}

export const gateway: Asker = { user_id: "gateway", roles: ["GATEWAY"] };

export async function testAccounts(environment: Record<string, string> = {}): Promise<TestAccounts> {
  const mint = await testMint();
  const kenri = await testKenri(environment, undefined, mint);
  const server = await kenri.start("account:api");

  const accounts: TestAccounts = {
    kenri,
    mint,
    server,
    async ask(asker, method, path, body) {
      const authorization = asker ? `Bearer ${await mint.token("account", asker.user_id, asker.roles)}` : "";
      const response = await kenri.call("account", path, {
        method,
        headers: { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    async get<T>(asker: Asker, method: string, path: string, body?: unknown) {
      const { status, text } = await accounts.ask(asker, method, path, body);
      if (status !== 200) throw new Error(`${method} ${path}: ${status} ${text}`);
      return JSON.parse(text) as T;
    },
    resolve: identity => accounts.ask(gateway, "POST", "/identities:resolve", identity),
    async user(name, roles = []) {
      const identity = { provider: "test", subject: name, name, email: `${name}@example.com`, email_verified: true, roles };
      return accounts.get(gateway, "POST", "/identities:resolve", identity);
    },
    async rows() {
      const [counts] = await kenri.account()
        .sql`select (select count(*) from users) as users, (select count(*) from identities) as identities,
        (select count(*) from account_roles) as account_roles, (select count(*) from audit_logs) as audit_logs`;
      return { ...counts } as Record<string, number>;
    },
    async close() {
      await kenri.close();
      await mint.close();
    },
  };
  return accounts;
}
