import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { notifications, outbox } from "../../testing/failed.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { operators } from "../../testing/operators.ts";
import { expectRefusal } from "../../testing/refusal.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

interface Action {
  readonly action_id: string;
  readonly action: string;
  readonly actor: string;
  readonly subject: string;
  readonly reason: string;
}

let mint: TestMint;
let kenri: TestKenri;
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri({}, undefined, mint);
  await kenri.start("entitlement notification");
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

describe.each([outbox, notifications])("the audit of $system", failing => {
  const people = () => operators(kenri, mint, failing);
  const refused = { status: 400, code: "INVALID_REQUEST" };
  async function read(query: string): Promise<{ actions: Action[]; next_cursor?: string }> {
    const { text, status } = await people().ask("VIEWER", "GET", `/ops/actions?${query}`);
    expect({ query, status }).toEqual({ query, status: 200 });
    return JSON.parse(text);
  }
  const did = ({ actions }: { actions: Action[] }) => actions.map(({ action, subject }) => [action, subject]);

  let ids: string[];
  let operation: string;
  let alone: string;
  beforeAll(async () => {
    ids = await failing.put(kenri, "many", 3, "the channel is gone");
    [alone = ""] = await failing.put(kenri, "alone", 1, "something else");
    await people().post("OPERATOR", `/ops/${failing.kind}/${alone}/requeue`, { reason: "by hand" });
    operation = (await people().started("ADMIN", { error: "channel is gone" })).operation_id;
    await people().reached(operation, ({ status }) => status === "DONE");
  });

  test("shows a bulk operation as one row, however many rows it changed", async () => {
    expect(did(await read("limit=10"))).toEqual([
      ["operation.start", operation],
      [`${failing.audited}.requeue`, alone],
    ]);
  });

  test("lists what an operation did to each row, page by page", async () => {
    const first = await read(`operation_id=${operation.toUpperCase()}&limit=2`);
    const rest = await read(`operation_id=${operation}&limit=2&cursor=${first.next_cursor}`);
    const items = did({ actions: [...first.actions, ...rest.actions] });
    expect(items.toSorted()).toEqual(ids.map(id => [`${failing.audited}.requeue`, id]).toSorted());
    expect(rest.next_cursor).toBeUndefined();
    expect(await read(`operation_id=${crypto.randomUUID()}`)).toEqual({ actions: [] });
  });

  test("shows everything that was done to one row, also by bulk operations", async () => {
    expect(did(await read(`subject=${ids[0]}`))).toEqual([[`${failing.audited}.requeue`, ids[0]!]]);
  });

  test.each([
    ["who acted", "actor=user:admin", ["operation.start"]],
    ["what was done", "action=operation.start", ["operation.start"]],
    ["both, which nobody did", "actor=user:admin&action=outbox.discard", []],
    ["a time before anything", "until=2020-01-01T00:00:00Z", []],
    ["a time that began long ago", "since=2020-01-01T00:00:00Z&limit=1", ["operation.start"]],
  ])("is filtered by %s", async (_, query, actions) => expect((await read(query)).actions.map(({ action }) => action)).toEqual(actions));

  test("refuses a filter that it does not have, and a cursor of another one", async () => {
    for (const query of [`subject=${alone}&actor=otto`, "operation_id=otto", "since=yesterday", "actor=", "who=otto"])
      expectRefusal(await people().ask("VIEWER", "GET", `/ops/actions?${query}`), refused);
    const { next_cursor } = await read("limit=1");
    expectRefusal(await people().ask("VIEWER", "GET", `/ops/actions?actor=otto&cursor=${next_cursor}`), refused);
  });
});
