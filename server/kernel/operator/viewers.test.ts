import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { notifications, outbox } from "../../testing/failed.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { operators } from "../../testing/operators.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";
import { kernelSettings } from "../config/settings.ts";

let mint: TestMint;
let kenri: TestKenri;
// Long enough that no shared result expires during the test.
beforeAll(async () => {
  mint = await testMint();
  // Publishing asks the database by itself.
  kenri = await testKenri({ OPS_ANSWERS_FOR: "1m", OUTBOX_FIRST_ATTEMPT: "relay" }, undefined, mint);
  await kenri.start("entitlement:api notification:api");
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

describe.each([outbox, notifications])("$system", failing => {
  const { system, kind, id, sql } = failing;
  const list = kind === "outbox" ? "events" : "notifications";
  const people = () => operators(kenri, mint, failing);
  const read = async (path: string, role = "VIEWER") => JSON.parse((await people().ask(role, "GET", path)).text);
  const failedOf = async (role?: string): Promise<number> => (await read(`/ops/${kind}/counts`, role)).counts.FAILED.count;
  /** How many statements ran; people are authenticated by their tokens, so only the answers are counted. */
  const runs = (labels?: string) => kenri.metric(system, "kenri_sql_seconds_count", labels);
  /** Without the polls for paused roles; again if one came in between. */
  async function statements(): Promise<number> {
    const polls = () => runs('statement="pauses_list"');
    const [before, all] = [await polls(), await runs()];
    return (await polls()) === before ? all - before : statements();
  }
  /** Makes the API forget, as any action does. */
  const act = () => people().post("OPERATOR", `/ops/${kind}/${crypto.randomUUID()}/requeue`, { reason: "r" });

  test.each([
    [`/ops/${kind}/counts`, 2],
    [`/ops/${kind}/counts?error=e`, 2],
    [`/ops/${kind}?limit=10`, 1],
    [`/ops/${kind}?status=PENDING`, 1],
    [`/ops/${kind}?status=FAILED&user_id=alice`, 1],
    [`/ops/${kind}/groups`, 1],
    [`/ops/${kind}/${kind === "outbox" ? "failed" : "dead"}`, 1],
    ["/ops/operations", 1],
    ["/ops/actions", 1],
    ...(kind === "outbox"
      ? []
      : ([
          ["/ops/raw-dead-letters?which=all", 1],
          ["/ops/raw-dead-letters/counts", 1],
        ] as const)),
  ] as const)("%s: thirty simultaneous viewers and a later one share one read of the database", async (path, once) => {
    await act();
    const before = await statements();
    const roles = Array.from({ length: 30 }, (_, n) => ["VIEWER", "OPERATOR", "ADMIN"][n % 3]!);
    const answers = await Promise.all(roles.map(role => people().ask(role, "GET", path)));
    answers.push(await people().ask("VIEWER", "GET", path));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
    expect([answers[0]!.status, (await statements()) - before]).toEqual([200, once]);
  });

  test("another request has a result of its own", async () => {
    await failing.put(kenri, "apart", 3);
    await act();
    const pages = await Promise.all(["1", "2", "3"].map(limit => read(`/ops/${kind}?status=FAILED&limit=${limit}`)));
    expect(pages.map(page => page[list].length)).toEqual([1, 2, 3]);
    const next = await read(`/ops/${kind}?status=FAILED&limit=1&cursor=${pages[0].next_cursor}`);
    expect(next[list][0][id]).toBe(pages[1][list][1][id]);
  });

  test("a viewer does not get the answer of an operator to the same request, nor an operator that of a viewer", async () => {
    await sql(kenri)`insert into operator_actions (actor, action, subject, reason, detail)
      values ('user:otto', 'test', 'masked', 'r', ${sql(kenri).json({ payload: { user_id: "secret-9" } })})`;
    for (const roles of [
      ["OPERATOR", "VIEWER", "ADMIN"],
      ["VIEWER", "OPERATOR", "VIEWER"],
    ]) {
      await act();
      for (const role of roles) {
        const shown = (await people().ask(role, "GET", "/ops/actions?subject=masked")).text;
        expect([role, shown.includes("secret-9"), shown.includes("•••")]).toEqual([role, role !== "VIEWER", role === "VIEWER"]);
      }
    }
  });

  test("a caller without the role gets no shared result", async () => {
    await read(`/ops/${kind}/counts`, "OPERATOR");
    expect((await people().ask("USER", "GET", `/ops/${kind}/counts`)).status).toBe(403);
  });

  test("the next answer after an action shows its effect, to everybody", async () => {
    const [first, second] = await failing.put(kenri, "acted", 2);
    await act();
    const before = await failedOf();
    await people().post("OPERATOR", `/ops/${kind}/${first}/requeue`, { reason: "r" });
    expect([await failedOf("OPERATOR"), await failedOf("VIEWER")]).toEqual([before - 1, before - 1]);
    await people().post("ADMIN", `/ops/${kind}/${second}/discard`, { reason: "r" });
    expect(await failedOf()).toBe(before - 2);
    expect((await read("/ops/actions?limit=1")).actions[0].subject).toBe(second);
    expect((await read("/ops/operations")).operations).toEqual([]);
    const { operation_id } = await people().started("OPERATOR", { fingerprint: "nobody has it" });
    expect((await read("/ops/operations")).operations[0].operation_id).toBe(operation_id);
  });

  test("a request without the cache shows the changes of others, and so does every later answer", async () => {
    const before = await failedOf();
    await failing.put(kenri, "anew", 1);
    expect(await failedOf()).toBe(before);
    const stranger = { headers: { "cache-control": "no-cache", authorization: "Bearer nobody" } };
    expect((await kenri.call(system, `/ops/${kind}/counts`, stranger)).status).toBe(401);
    expect(await failedOf()).toBe(before);
    const anew = await kenri.call(system, `/ops/${kind}/counts`, { headers: { "cache-control": "no-cache" } });
    expect(await anew.json()).toMatchObject({ counts: { FAILED: { count: before + 1 } } });
    expect(await failedOf()).toBe(before + 1);
  });

  test("with the default setting the changes of others are visible soon", async () => {
    const other = await kenri.start(`${system}:api`, { OPS_ANSWERS_FOR: kernelSettings.opsAnswersFor.preset! });
    const before = await failedOf();
    await failing.put(kenri, "elsewhere", 1);
    await until("it is counted", 10_000, async () => (await failedOf()) === before + 1);
    await other.stop();
  });
});
