import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { namesUser } from "../../notification/intake/erase_messages.ts";
import { audits, entitlements, idempotencyKeys, outboxEvents } from "../../testing/entitlement_rows.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";

let kenri: TestKenri;
beforeAll(async () => {
  kenri = await testKenri();
});
afterAll(() => kenri.close());

const pseudonym = "erased-0192a000-0000-4000-8000-000000000009";
const hidden = "erased-0192a000-0000-4000-8000-00000000000a";
const uuid = "0192a000-0000-7000-8000-000000000001";

describe("a text without the user", () => {
  test.each([
    ["a UUID, wherever it stands", uuid, `x${uuid.toUpperCase()}y user:${uuid}`, `x${pseudonym}y user:${pseudonym}`],
    ["an id as a word", "al", "al: al. (al) al:gold", `${pseudonym}: ${pseudonym}. (${pseudonym}) ${pseudonym}:gold`],
    ["not a part of another id", "al", "alice al-2 al.b val al@x Al", "alice al-2 al.b val al@x Al"],
    ["an id with characters that mean something in a pattern", "a.b*(c", "a.b*(c axb*(c", `${pseudonym} axb*(c`],
    ["not an item of another user", "42", "bob:42 42:gold user:42, 42", `bob:42 ${pseudonym}:gold user:${pseudonym}, ${pseudonym}`],
    ["an address, in any case", "u", "Mail Ada@Example.test, not bada@example.test", "Mail erased, not bada@example.test"],
  ])("%s", async (_, user, text, expected) => {
    const [row] = await kenri.entitlementSql`select scrub(${text}::text, ${user}, array['ada@example.test'], ${pseudonym}) as text`;
    expect(row!.text).toBe(expected);
  });

  test.each([
    [
      "an id that is a number",
      "1",
      { version: 1, user_id: "1", n: [1, "1"], "1": "1", reason: "for 1" },
      { version: 1, user_id: pseudonym, n: [1, "1"], "1": "1", reason: `for ${pseudonym}` },
    ],
    [
      "aggregate keys of the user only",
      "42",
      {
        aggregate_key: "bob:42",
        was: { aggregate_key: "42:gold" },
        all: [{ aggregate_key: "x:42:gold" }, { aggregate_key: `match:${uuid}:42` }],
      },
      {
        aggregate_key: "bob:42",
        was: { aggregate_key: `${pseudonym}:gold` },
        all: [{ aggregate_key: "x:42:gold" }, { aggregate_key: `match:${uuid}:${pseudonym}` }],
      },
    ],
    [
      "actors as a whole",
      "al",
      { actor: "user:al", client_id: "al", paused_by: "user:alan" },
      { actor: `user:${pseudonym}`, client_id: "al", paused_by: "user:alan" },
    ],
    [
      "words of the system never",
      "FAILED",
      { status: "FAILED", action: "FAILED", last_error: "FAILED" },
      { status: "FAILED", action: "FAILED", last_error: pseudonym },
    ],
    [
      "ids and keys in the same case, other texts in any",
      uuid,
      { user_id: uuid.toUpperCase(), aggregate_key: `${uuid.toUpperCase()}:gold`, other: `x ${uuid.toUpperCase()}` },
      { user_id: uuid.toUpperCase(), aggregate_key: `${uuid.toUpperCase()}:gold`, other: `x ${pseudonym}` },
    ],
    ["addresses in every text", "al", { other: ["Ada@example.test"] }, { other: ["erased"] }],
  ])("in JSON %s", async (_, user, detail, expected) => {
    const given = kenri.entitlementSql.json(detail as never);
    const [row] = await kenri.entitlementSql`select scrub(${given}::jsonb, ${user}, array['ada@example.test'], ${pseudonym}) as detail`;
    expect(row!.detail).toEqual(expected);
  });

  test.each([
    ["no event, but of al", true],
    ["\n\u0002al*\u0004gold", true],
    ["alan val al-2 bob:al \u00e9al al\u00e9", false],
    ["\u0000al\u0000", true],
  ])("the bytes of %j name the user al: %p", async (text, expected) => {
    const [row] = await kenri.notificationSql`select names_user(${Buffer.from(text)}, 'al') as named`;
    expect([row!.named, namesUser(Buffer.from(text), "al")]).toEqual([expected, expected]);
  });

  test("in JSON an escaped id, and null stays null", async () => {
    const detail = { user_id: 'q"uote', note: "x" };
    const [row] =
      await kenri.entitlementSql`select scrub(${kenri.entitlementSql.json(detail)}::jsonb, ${'q"uote'}, '{}', ${pseudonym}) as detail,
      scrub(null::text, 'a', '{}', ${pseudonym}) as nothing`;
    expect(row).toEqual({ detail: { user_id: pseudonym, note: "x" }, nothing: null });
  });
});

describe("the steps of a system", () => {
  /** As the app role of entitlement. */
  async function asApp<T>(work: (sql: TestKenri["entitlementSql"]) => Promise<T>): Promise<T> {
    const { default: postgres } = await import("postgres");
    const sql = postgres(kenri.entitlement.appUrl, { max: 2, onnotice: () => {} }) as TestKenri["entitlementSql"];
    return work(sql).finally(() => sql.end({ timeout: 1 }));
  }
  const start = (sql: TestKenri["entitlementSql"], user: string) =>
    sql`insert into erasures (pseudonym, user_id, emails, requested_by, reason) values (${pseudonym}, ${user}, '{}', 'tester', ${`of ${user}`})`;

  test("go through a table in batches, and two workers do each row once", async () => {
    const sql = kenri.entitlementSql;
    await sql`insert into operator_actions (actor, action, subject, reason) select 'tester', 'a', n::text, case when n % 10 = 0 then ${`for ${uuid}`} else 'r' end
      from generate_series(1, 1000) n`;
    await start(sql, uuid);
    await asApp(async app => {
      const step = async () => (await app<{ more: boolean }[]>`select erase_user(${pseudonym}, 70) as more`)[0]!.more;
      const work = async () => {
        while (await step());
      };
      await Promise.all([work(), work()]);
    });
    const [left] = await sql`select count(*)::int as n from operator_actions where reason like ${`%${uuid}%`}`;
    const [erasure] = await sql`select state, user_id, emails, reason, changed from erasures where pseudonym = ${pseudonym}`;
    expect(left!.n).toBe(0);
    expect(erasure).toEqual({ state: "DONE", user_id: null, emails: null, reason: `of ${pseudonym}`, changed: { operator_actions: 101 } });
  });

  test("a user with a short id is erased; rows of others that have it as a part stay", async () => {
    const sql = kenri.entitlementSql;
    const other = "erased-0192a000-0000-4000-8000-000000000042";
    const hash = "0".repeat(64);
    const stored = (idem_key: string, response_code: number, body: object, client_id = "shop") => ({
      client_id,
      route: "r",
      idem_key,
      request_hash: hash,
      response_code,
      response_body: JSON.stringify(body),
      expires_at: "2100-01-01",
    });
    await idempotencyKeys.putValues(sql, [
      stored("42-own", 200, { user_id: "42", stock_keeping_unit: "gold", version: 42 }),
      stored("42", 200, { user_id: "bob", stock_keeping_unit: "42", version: 1 }),
      stored("42-refused", 409, { detail: "42 is ACTIVE" }),
      stored("by", 200, { user_id: "bob", stock_keeping_unit: "x", version: 1 }, "user:42"),
    ]);
    await outboxEvents.put(
      sql,
      { user_id: "u", stock_keeping_unit: "s", status: "'PUBLISHED'", last_error: "'for 42'" },
      "(values ('bob', '42'), ('42', 'gold')) e(u, s)",
    );
    await audits.put(
      sql,
      { user_id: "'bob'", stock_keeping_unit: "'42'", client_id: "c", version: "v" },
      "(values ('user:42', 1), ('user:421', 2), ('42', 3)) e(c, v)",
    );
    await sql`insert into operator_actions (actor, action, subject, reason, detail)
      values ('tester', 'outbox.discard', '42', 'r', ${sql.json({ aggregate_key: "bob:42", attempt_count: 42 })})`;
    await sql`insert into paused_roles (role, paused_by, reason) values ('entitlement:relay', 'user:42', 'as 42 asked')`;
    await sql`insert into erasures (pseudonym, user_id, emails, requested_by, reason) values (${other}, '42', '{}', 'tester', 'r')`;
    while ((await sql`select erase_user(${other}, 100) as more`)[0]!.more);
    const keys =
      await sql`select client_id, idem_key, request_hash, response_body::jsonb as body from idempotency_keys order by idem_key collate "C"`;
    expect([...keys]).toEqual([
      { client_id: "shop", idem_key: "42", request_hash: hash, body: { user_id: "bob", stock_keeping_unit: "42", version: 1 } },
      { client_id: "shop", idem_key: "42-own", request_hash: "erased", body: { user_id: other, stock_keeping_unit: "gold", version: 42 } },
      { client_id: "shop", idem_key: "42-refused", request_hash: hash, body: { detail: "42 is ACTIVE" } },
      { client_id: `user:${other}`, idem_key: "by", request_hash: hash, body: { user_id: "bob", stock_keeping_unit: "x", version: 1 } },
    ]);
    const events = await sql`select aggregate_key, last_error from outbox_events order by length(aggregate_key)`;
    expect([...events]).toEqual([
      { aggregate_key: "bob:42", last_error: "for 42" },
      { aggregate_key: `${other}:gold`, last_error: `for ${other}` },
    ]);
    const clients = await sql`select client_id from entitlement_audit where user_id = 'bob' and stock_keeping_unit = '42' order by version`;
    expect(clients.map(row => row.client_id)).toEqual([`user:${other}`, "user:421", "42"]);
    const [action] = await sql`select subject, detail from operator_actions where action = 'outbox.discard'`;
    expect(action).toEqual({ subject: "42", detail: { aggregate_key: "bob:42", attempt_count: 42 } });
    expect((await sql`select paused_by, reason from paused_roles`)[0]).toEqual({ paused_by: `user:${other}`, reason: `as ${other} asked` });
    expect((await sql`select state from erasures where pseudonym = ${other}`)[0]!.state).toBe("DONE");
  });

  test("the app role cannot change the audit but by an erasure", async () => {
    await asApp(async app => {
      const refused = async (work: Promise<unknown>) => ((await work.catch(error => error)) as { code?: string }).code;
      expect(await refused(app`update operator_actions set reason = 'x'`)).toBe("42501");
      expect(await refused(app`select scrub_batch('operator_actions', null, null, 10, 'a', '{}', 'b')`)).toBe("42501");
      expect(await refused(app`select end_erasure('x')`)).toBe("42501");
      expect((await app`select erase_user('erased-unknown', 10) as more`)[0]!.more).toBe(false);
      expect(await refused(app`update erasures set user_id = 'x', emails = '{}', state = 'WORKING', done_at = null`)).toBe("42501");
      expect(await refused(app`update erasures set reason = 'x'`)).toBe("42501");
      expect(await refused(app`delete from erasures`)).toBe("42501");
      for (const email of ["word", "two words@x", `${"a".repeat(320)}@x`])
        expect(
          await refused(app`insert into erasures (pseudonym, user_id, emails, requested_by, reason)
          values (${hidden}, 'nobody', array[${email}], 'app', 'r')`),
        ).toBe("23514");
    });
  });

  test("an erasure that the app role begins is in the audit, and no erasure takes it out", async () => {
    const trace = () => kenri.entitlementSql`select actor, action, subject, reason from operator_actions where subject = ${hidden}`;
    await asApp(async app => {
      const begin = (name: string, user: string) => app`insert into erasures (pseudonym, user_id, emails, requested_by, reason)
        values (${name}, ${user}, '{}', 'app', 'why')`;
      const work = async (name: string) => {
        while ((await app`select erase_user(${name}, 500) as more`)[0]!.more);
      };
      await begin(hidden, "user.erase");
      await work(hidden);
      const second = "erased-0192a000-0000-4000-8000-00000000000b";
      await begin(second, hidden.slice("erased-".length));
      await work(second);
      expect([...(await trace())]).toEqual([{ actor: "app", action: "user.erase", subject: hidden, reason: "why" }]);
      // Begun again, it is in the audit again.
      await entitlements.put(kenri.entitlementSql, { user_id: "'back'" });
      expect((await app`select state from erase_again(${hidden}, 'back', '{}')`)[0]).toEqual({ state: "WORKING" });
      expect(await trace()).toHaveLength(2);
      await work(hidden);
    });
  });
});
