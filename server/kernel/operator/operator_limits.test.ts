import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { notifications, outbox } from "../../testing/failed.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { operators } from "../../testing/operators.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

let mint: TestMint;
let kenri: TestKenri;
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri(
    {
      DATABASE_CONNECTIONS: "2",
      OPERATOR_CONNECTIONS: "2",
      OPERATOR_DEADLINE: "1s",
      OPERATOR_WAIT: "500ms",
      OUTBOX_FIRST_ATTEMPT: "relay",
    },
    undefined,
    mint,
  );
  await kenri.start("entitlement:api notification:api");
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

describe.each([outbox, notifications])("$system", failing => {
  const { system, kind, sql } = failing;
  const person = (name: string) => async (path: string, body?: unknown) => {
    const authorization = `Bearer ${await mint.token(system, name, ["OPERATOR"])}`;
    const init = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    return kenri.call(system, path, { ...init, headers: { authorization, "content-type": "application/json" } });
  };
  const preview = (name: string, min_attempts: number) =>
    person(name)(`/ops/${kind}/bulk/preview`, { action: "requeue", filter: { min_attempts } });
  /** Every walk over a set takes so long. */
  const walksTake = (seconds: number) =>
    sql(kenri).unsafe(`create or replace function set_hash(ids uuid[]) returns text language plpgsql as
      $$ begin perform pg_sleep(${seconds}); return encode(sha256(convert_to(array_to_string(ids, ','), 'UTF8')), 'hex'); end $$`);
  const walking = async () =>
    (
      await sql(kenri)`select from pg_stat_activity where datname = current_database() and state = 'active' and query like '%set_hash%'
      and pid <> pg_backend_pid()`
    ).length;

  test("an operator whose previews never end delays neither keys nor readiness, grants, readers or other operators", async () => {
    await walksTake(60);
    const flood = Array.from({ length: 60 }, (_, n) => preview("busy", n + 1));
    await until("a walk is under way", 5000, async () => (await walking()) > 0);

    const strange = await kenri.newKey(`strange-${kind}`, ["entitlements:read", "entitlements:write"]);
    const headers = { authorization: `Bearer ${strange}` };
    const ready = Array.from({ length: 5 }, () => kenri.call(system, "/readyz"));
    const vital = system === "entitlement" ? [kenri.grant("alice", "item", { headers }), kenri.revoke("bob", "item", { headers })] : [];
    const reads = [kenri.call("entitlement", "/v1/users/alice/entitlements", { headers })];
    const other = [person("other")(`/ops/${kind}/counts`), person("other")("/ops/health"), person("other")("/ops/actions")];
    const answers = await Promise.all([...ready, ...vital, ...reads, ...other]);
    expect(answers.map(({ status }) => status).filter(status => ![200, 409].includes(status))).toEqual([]);
    expect(await walking()).toBe(1);

    const refused = await Promise.all(flood);
    expect([...new Set(refused.map(({ status }) => status))].toSorted()).toEqual([422, 429]);
    const codes = await Promise.all(
      refused.map(async one => `${((await one.json()) as { code: string }).code} ${one.headers.get("retry-after")}`),
    );
    expect([...new Set(codes)].toSorted()).toEqual(["SET_TOO_LARGE null", "TOO_MANY_QUESTIONS 1"]);
  });

  test("a cancelled preview has ended in the database too, and its connection and its turn are free again", async () => {
    await until("no walk is under way", 5000, async () => (await walking()) === 0);
    await walksTake(0);
    for (let n = 1; n <= 5; n++) expect((await preview("busy", n)).status).toBe(200);
  });

  test("simultaneous previews of one set share one statement", async () => {
    await walksTake(0.4);
    const walks = () => kenri.metric(system, "kenri_sql_seconds_count", 'statement="bulk_preview"');
    const before = await walks();
    const answers = await Promise.all(Array.from({ length: 8 }, (_, n) => preview(`person-${n % 4}`, 7)));
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
    expect((await walks()) - before).toBe(1);
    await walksTake(0);
  });

  test("a preview after an action is never one that began before it", async () => {
    const { ask, post } = operators(kenri, mint, failing);
    await walksTake(0.4);
    const walks = () => kenri.metric(system, "kenri_sql_seconds_count", 'statement="bulk_preview"');
    const before = await walks();
    const first = preview("early", 9);
    await until("the walk is under way", 5000, async () => (await walking()) > 0);
    await post("OPERATOR", `/ops/${kind}/${crypto.randomUUID()}/requeue`, { reason: "r" });
    const second = preview("late", 9);
    expect([(await first).status, (await second).status, (await walks()) - before]).toEqual([200, 200, 2]);
    await walksTake(0);
    expect((await ask("VIEWER", "GET", `/ops/${kind}/counts`)).status).toBe(200);
  });
});
