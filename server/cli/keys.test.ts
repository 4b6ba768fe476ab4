import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestKenri, testKenri } from "../testing/kenri.ts";

let kenri: TestKenri;
beforeAll(async () => {
  kenri = await testKenri();
  await kenri.start("entitlement:api notification:api");
});
afterAll(() => kenri.close());

interface Made {
  readonly key: string;
  readonly key_id: string;
  readonly client_id: string;
  readonly scopes: string[];
}

async function keys(args: string, environment = kenri.environment): Promise<{ code: number; out: string; error: string }> {
  const child = Bun.spawn([process.execPath, new URL("keys.ts", import.meta.url).pathname, ...args.split(" ").filter(Boolean)], {
    env: { PATH: process.env.PATH ?? "", ...environment },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, error, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  return { code, out, error };
}
async function json<T>(args: string): Promise<T> {
  const { code, out, error } = await keys(`${args} --json`);
  if (code !== 0) throw new Error(error);
  return JSON.parse(out) as T;
}
const create = (client: string, extra = "") => json<Made>(`create --client ${client} --scopes entitlements:read,ops:read ${extra}`);
const status = async (key: string, system: "entitlement" | "notification" = "entitlement") => {
  const path = system === "entitlement" ? "/v1/users/alice/entitlements" : "/ops/notifications/dead";
  return (await kenri.call(system, path, { headers: { authorization: `Bearer ${key}` } })).status;
};

describe("the keys command", () => {
  test("makes a key that works in every system at once, with the scopes asked for, and keeps only its hash", async () => {
    const made = await create("shop");
    expect([await status(made.key), await status(made.key, "notification")]).toEqual([200, 200]);
    expect((await kenri.grant("alice", "item1", { headers: { authorization: `Bearer ${made.key}` } })).status).toBe(403);
    for (const sql of [kenri.entitlementSql, kenri.notificationSql]) {
      const [row] =
        await sql`select to_jsonb(k)::text as text, encode(secret_sha256, 'hex') as hash from api_keys k where key_id = ${made.key_id}`;
      const secret = made.key.slice(19);
      expect(row?.text).not.toContain(secret);
      expect(row?.hash).toBe(new Bun.CryptoHasher("sha256").update(secret).digest("hex"));
    }
  });

  test("lists keys, newest first, with their systems and without a secret", async () => {
    const made = await create("listed", "--days 30");
    const { out } = await keys("list --json");
    const [first] = JSON.parse(out);
    expect(first).toMatchObject({
      key_id: made.key_id,
      client_id: "listed",
      scopes: ["entitlements:read", "ops:read"],
      revoked_at: null,
      systems: ["entitlement", "notification"],
    });
    expect(Date.parse(first.expires_at) - Date.now()).toBeGreaterThan(29 * 86_400_000);
    expect(out).not.toContain(made.key.slice(19));
    expect(out).not.toContain("secret");
    expect((await keys("list")).out).toContain("listed");
  });

  test("rotates: a new key for the same client with the same scopes; the old one ends after the grace", async () => {
    const old = await create("rotor");
    const fresh = await json<Made & { ended: string[] }>("rotate --client rotor --grace 1h");
    expect(fresh).toMatchObject({ client_id: "rotor", scopes: old.scopes, ended: [old.key_id] });
    expect([await status(old.key), await status(fresh.key)]).toEqual([200, 200]);
    const last = await json<Made>("rotate --client rotor --grace 0s");
    expect(await status(last.key)).toBe(200);
    // A key that was looked up is believed for two seconds; a system that has not seen it refuses it at once.
    expect(await status(fresh.key, "notification")).toBe(401);
    const rows = (await json<{ client_id: string; revoked_at: string | null }[]>("list")).filter(row => row.client_id === "rotor");
    expect(rows.filter(row => row.revoked_at === null)).toHaveLength(1);
  });

  test("never makes a key last longer by rotating it again", async () => {
    await create("short");
    await json("rotate --client short --grace 1h");
    const ends = async () =>
      (await kenri.entitlementSql`select max(expires_at) as at from api_keys where client_id = 'short'`)[0]?.at.getTime();
    const before = await ends();
    await json("rotate --client short --grace 7d");
    const [oldest] = await kenri.entitlementSql`select expires_at from api_keys where client_id = 'short' order by created_at limit 1`;
    expect(oldest?.expires_at.getTime()).toBe(before);
  });

  test("revokes a key in every system", async () => {
    const made = await create("gone");
    expect(await json<object>(`revoke --key ${made.key_id}`)).toEqual({ key_id: made.key_id, revoked: true });
    expect([await status(made.key), await status(made.key, "notification")]).toEqual([401, 401]);
  });

  test("makes a key for one system only if asked to", async () => {
    const made = await json<Made>("create --client half --scopes ops:read --systems notification");
    expect([await status(made.key), await status(made.key, "notification")]).toEqual([401, 200]);
  });
});

describe("the keys command helps", () => {
  test.each(["--help", "-h", "create --help"])("when it is asked to: %s", async args => {
    const { code, out, error } = await keys(args, {});
    expect([code, error]).toEqual([0, ""]);
    for (const word of [
      "create --client",
      "list",
      "rotate --client",
      "revoke --key",
      "--systems",
      "entitlements:read",
      "NOTIFICATION_DATABASE_URL",
    ])
      expect(out).toContain(word);
  });

  test.each([
    ["", "which command?"],
    ["help me", "there is no command help; there are create, list, rotate, revoke"],
    ["toString", "there is no command toString"],
    ["list everything", "unknown argument: everything"],
    ["create --client x", "--scopes is missing"],
    ["revoke", "--key is missing"],
    ["create --client x --scopes ops:read --admin", "--admin"],
  ])("with what it cannot understand, exit code 2 and nothing done: %j", async (args, said) => {
    const { code, out, error } = await keys(args);
    expect([code, out]).toEqual([2, ""]);
    expect(error).toContain(said);
    expect(error).toContain("usage: npx bun run keys");
    expect(error).not.toMatch(/ at .*\.ts|node_modules/);
  });
});

describe("the keys command refuses, with a sentence and exit code 1,", () => {
  const cases: [args: string, said: string][] = [
    ["create --client user:otto --scopes ops:read", "--client may not begin with user:"],
    ["create --client x --scopes ops:everything", "there is no scope ops:everything; there are entitlements:read"],
    ["create --client x --scopes ops:read --days 0", "--days must be 1 to 9999"],
    ["rotate --client nobody", "client nobody has no key to rotate"],
    ["rotate --client x --grace forever", "--grace must be a duration"],
    ["revoke --key 000000000000", "there is no key 000000000000"],
    ["list --systems billing", "there is no system billing with API keys"],
    ["list --systems account", "there is no system account with API keys"],
  ];
  test.each(cases)("%s", async (args, said) => {
    const { code, out, error } = await keys(args);
    expect([code, out]).toEqual([1, ""]);
    expect(error).toContain(said);
    expect(error).not.toMatch(/ at .*\.ts|node_modules/);
  });

  test("a database that is not set, or away, without its password", async () => {
    expect((await keys("list", {})).error).toContain("ENTITLEMENT_DATABASE_URL is not set");
    const url = "postgres://owner:hunter2@127.0.0.1:1/entitlement";
    const away = await keys("list --systems entitlement", { ENTITLEMENT_DATABASE_URL: url });
    expect([away.code, away.out]).toEqual([1, ""]);
    expect(away.error).not.toContain("hunter2");
    expect(away.error).toMatch(/ECONNREFUSED|did not answer/);
  });
});
