import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { operators } from "../../testing/operators.ts";
import { expectRefusal } from "../../testing/refusal.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

let mint: TestMint;
let kenri: TestKenri;
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri({}, undefined, mint);
  await kenri.start("notification:api");
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

let letters = 0;
async function putLetter(data = "alice"): Promise<string> {
  const [row] = await kenri.notificationSql`insert into notification_nats_dlq (stream, stream_seq, subject, headers, data, reason)
    values ('s', ${++letters}, 'sub', '{"aggregate_key": "alice:item1"}', ${Buffer.from(data)}, 'not an event') returning id`;
  return row?.id;
}
const people = () => operators(kenri, mint, { system: "notification", kind: "notifications" });
const list = async (query = "") => {
  const { text, status } = await people().ask("VIEWER", "GET", `/ops/raw-dead-letters${query}`);
  expect(status).toBe(200);
  return JSON.parse(text) as { raw_dead_letters: { id: string; size: number; reprocessed_at?: string | null }[]; next_cursor?: string };
};

test("a list has the open ones, or all with the time of reprocessing, and a cursor belongs to its list", async () => {
  const ids = [await putLetter(), await putLetter("longer"), await putLetter()];
  await kenri.notificationSql`update notification_nats_dlq set reprocessed_at = now() where id = ${ids[1]!}`;
  expect((await list()).raw_dead_letters.map(one => one.id)).toEqual([ids[2]!, ids[0]!]);
  expect((await list("?which=open")).raw_dead_letters).toHaveLength(2);
  const all = await list("?which=all");
  expect(all.raw_dead_letters.map(one => [one.id, one.size, one.reprocessed_at !== null])).toEqual([
    [ids[2]!, 5, false],
    [ids[1]!, 6, true],
    [ids[0]!, 5, false],
  ]);
  const first = await list("?which=all&limit=2");
  expect((await list(`?which=all&cursor=${first.next_cursor}`)).raw_dead_letters.map(one => one.id)).toEqual([ids[0]!]);
  expectRefusal(await people().ask("VIEWER", "GET", `/ops/raw-dead-letters?cursor=${first.next_cursor}`), {
    status: 400,
    code: "INVALID_REQUEST",
  });
  for (const which of ["", "ALL", "reprocessed"])
    expectRefusal(await people().ask("VIEWER", "GET", `/ops/raw-dead-letters?which=${which}`), {
      status: 400,
      code: "INVALID_REQUEST",
      pointer: "/which",
    });
});

test("open ones are counted, without reprocessed and discarded ones", async () => {
  const open = async () => JSON.parse((await people().ask("VIEWER", "GET", "/ops/raw-dead-letters/counts")).text).open;
  // Whatever a person does makes the next answer a new one.
  const act = () => people().post("VIEWER", "/ops/raw-dead-letters/x/discard", {});
  await act();
  const before = (await open()).count;
  const [id] = [await putLetter(), await putLetter()];
  await people().post("ADMIN", `/ops/raw-dead-letters/${id}/discard`, { reason: "nobody needs it" });
  expect(await open()).toEqual({ count: before + 1, more: false });
  await kenri.notificationSql`update notification_nats_dlq set reprocessed_at = now()`;
  const last = await putLetter();
  await people().post("ADMIN", `/ops/raw-dead-letters/${last}/discard`, { reason: "nor this" });
  expect(await open()).toEqual({ count: 0, more: false });
  expect((await people().ask("USER", "GET", "/ops/raw-dead-letters/counts")).status).toBe(403);
});

describe("a raw dead letter", () => {
  const discard = (role: string, id: string, body: unknown = { reason: "a test message" }) =>
    people().post(role, `/ops/raw-dead-letters/${id}/discard`, body);

  test("is discarded by an admin only, once, and the audit keeps what it was, masked for viewers", async () => {
    const id = await putLetter();
    for (const role of ["USER", "VIEWER", "OPERATOR", kenri.key])
      expectRefusal(await discard(role, id), { status: 403, code: "FORBIDDEN" });
    for (const _ of ["first", "again"])
      expect(await discard("ADMIN", id)).toMatchObject({ status: 200, text: expect.stringContaining("DISCARDED") });
    expectRefusal(await people().ask("ADMIN", "GET", `/ops/raw-dead-letters/${id}`), { status: 404, code: "NOT_FOUND" });
    const actionsFor = async (role: string) => JSON.parse((await people().ask(role, "GET", `/ops/actions?subject=${id}`)).text).actions;
    expect(await actionsFor("OPERATOR")).toMatchObject([
      {
        actor: "user:admin",
        action: "raw_dead_letter.discard",
        reason: "a test message",
        detail: { size: 5, payload: { data: "616c696365", headers: { aggregate_key: "alice:item1" } } },
      },
    ]);
    expect((await actionsFor("VIEWER"))[0].detail).toMatchObject({ size: 5, payload: { data: "•••", headers: { aggregate_key: "•••" } } });
  });

  test("that is large leaves only its beginning in the audit", async () => {
    const id = await putLetter("x".repeat(100_000));
    expect((await discard("ADMIN", id)).status).toBe(200);
    const [action] = await kenri.notificationSql`select detail from operator_actions where subject = ${id}`;
    expect([action?.detail.size, action?.detail.payload.data.length]).toEqual([100_000, 8192]);
  });

  test("that was consumed is not discarded", async () => {
    const id = await putLetter();
    await kenri.notificationSql`update notification_nats_dlq set reprocessed_at = now() where id = ${id}`;
    expectRefusal(await discard("ADMIN", id), { status: 409, code: "TAKEN_IN" });
    expect(await kenri.notificationSql`select from operator_actions where subject = ${id}`).toHaveLength(0);
  });

  test.each([
    ["no reason", {}, "/reason"],
    ["a blank reason", { reason: " " }, "/reason"],
    ["a reason that is too long", { reason: "x".repeat(501) }, "/reason"],
    ["a word too many", { reason: "r", force: true }, "/force"],
  ])("is not discarded with %s", async (_, body, pointer) =>
    expectRefusal(await discard("ADMIN", await putLetter(), body), { status: 400, code: "INVALID_REQUEST", pointer }),
  );

  test("that does not exist is not found", async () => {
    expectRefusal(await discard("ADMIN", crypto.randomUUID()), { status: 404, code: "NOT_FOUND" });
    expectRefusal(await discard("ADMIN", "dead"), { status: 400, code: "INVALID_REQUEST", pointer: "/id" });
  });

  test("has its size and what people did to it", async () => {
    const id = await putLetter();
    await kenri.notificationSql`insert into operator_actions (actor, action, subject, reason) values ('user:otto', 'looked', ${id}, 'why')`;
    const { text } = await people().ask("OPERATOR", "GET", `/ops/raw-dead-letters/${id.toUpperCase()}`);
    expect(JSON.parse(text)).toMatchObject({ id, size: 5, data: "616c696365", actions: [{ actor: "user:otto", action: "looked" }] });
  });
});
