import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { badBodies } from "../../testing/bad_requests.ts";
import { testBrowser } from "../../testing/browser.ts";
import {
  aJoin,
  aTicket,
  codeOf,
  type MatchmakingScene,
  matchmakingScene,
  problem,
  queuePath,
  ticketId,
  ticketPath,
  ticketsPath,
} from "../../testing/matchmaking_scene.ts";
import { expectRefusal } from "../../testing/refusal.ts";

let scene: MatchmakingScene;
beforeAll(async () => {
  scene = await matchmakingScene();
});
afterAll(() => scene.close());
beforeEach(() => scene.reset());

describe("a signed-in user", () => {
  test("reaches matchmaking by a token of their own; the answer arrives as it is", async () => {
    for (const path of ["/v1/matchmaking/queues", ticketsPath, ticketPath])
      expect(await (await scene.get(path)).json()).toEqual(aTicket as never);
    const joined = await scene.join();
    expect([joined.status, joined.headers.get("content-type"), await joined.json()]).toEqual([200, "application/json", aTicket]);
    expect((await scene.bob.call(scene.gateway.url, ticketPath, { method: "DELETE" })).status).toBe(200);
    expect(scene.standIn.asked.map(({ method, path }) => `${method} ${path}`)).toEqual([
      "GET /v1/matchmaking/queues",
      `GET ${ticketsPath}`,
      `GET ${ticketPath}`,
      `POST ${queuePath}`,
      `DELETE ${ticketPath}`,
    ]);
    expect(JSON.parse(scene.standIn.asked[3]!.body)).toEqual(aJoin);
    expect(scene.standIn.asked.map(one => one.subject === scene.bob.userId)).toEqual([false, false, false, false, true]);
    expect(new Set(scene.standIn.asked.map(one => one.audience))).toEqual(new Set(["matchmaking"]));
  });

  test("may send as many attributes, and texts as long, as matchmaking takes", async () => {
    const attributes = Object.fromEntries(Array.from({ length: 16 }, (_, n) => [`a${n}`, "🎁".repeat(200)]));
    expect((await scene.join({ ...aJoin, attributes })).status).toBe(200);
    expect(JSON.parse(scene.standIn.asked[0]!.body).attributes).toEqual(attributes);
  });

  test("learns that a join was repeated", async () => {
    scene.standIn.answer = () => Response.json(aTicket, { headers: { "idempotency-replayed": "true" } });
    expect((await scene.join()).headers.get("idempotency-replayed")).toBe("true");
    scene.standIn.answer = () => Response.json(aTicket);
    expect((await scene.join()).headers.get("idempotency-replayed")).toBeNull();
  });

  test("gets a refusal of matchmaking whole: code, detail, errors, Retry-After and the id of the live ticket", async () => {
    scene.standIn.answer = problem(
      409,
      "ALREADY_QUEUED",
      { ticket_id: ticketId, errors: [{ pointer: "/x", detail: "y" }] },
      { "retry-after": "7" },
    );
    const refused = await scene.join();
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([409, "7"]);
    expect(await refused.json()).toEqual({
      type: "urn:kenri:problem:already-queued",
      title: "Conflict",
      status: 409,
      detail: "about ALREADY_QUEUED",
      instance: queuePath,
      code: "ALREADY_QUEUED",
      errors: [{ pointer: "/x", detail: "y" }],
      ticket_id: ticketId,
    } as never);
    for (const [status, code] of [
      [403, "TICKET_FORBIDDEN"],
      [404, "TICKET_NOT_FOUND"],
      [404, "TICKET_LOST"],
      [409, "ALREADY_MATCHED"],
    ] as const) {
      scene.standIn.answer = problem(status, code);
      expect(await codeOf(await scene.get(ticketPath))).toEqual([status, code]);
      expect(await codeOf(await scene.cancel())).toEqual([status, code]);
    }
  });

  test("gets no member of a refusal that would replace one of the gateway's", async () => {
    const lies = { status: 200, type: "urn:x", title: "Fine", instance: "/elsewhere", errors: "none", mode: "casual" };
    scene.standIn.answer = () =>
      new Response(JSON.stringify({ code: "MODE_NOT_FOUND", detail: "no", ...lies }).replace("{", '{"__proto__":{"a":1},'), {
        status: 404,
      });
    const answer = await scene.join();
    expect(answer.status).toBe(404);
    expect(await answer.json()).toEqual({
      type: "urn:kenri:problem:mode-not-found",
      title: "Not Found",
      status: 404,
      detail: "no",
      instance: queuePath,
      code: "MODE_NOT_FOUND",
      mode: "casual",
    } as never);
  });
});

describe("without a valid session or from another site", () => {
  test("nothing reaches matchmaking", async () => {
    const anonymous = testBrowser();
    expect((await anonymous.fetch(`${scene.gateway.url}${ticketsPath}`)).status).toBe(401);
    expect((await anonymous.send(scene.gateway.url, "POST", queuePath, aJoin)).status).toBe(401);
    expect((await anonymous.call(scene.gateway.url, ticketPath, { method: "DELETE" })).status).toBe(401);
    const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(aJoin) };
    expect(await codeOf(await scene.alice.fetch(`${scene.gateway.url}${queuePath}`, init))).toEqual([403, "CSRF_REFUSED"]);
    expect((await scene.alice.fetch(`${scene.gateway.url}${ticketPath}`, { method: "DELETE" })).status).toBe(403);
    const foreign = { ...init, headers: { ...init.headers, origin: "http://evil.example" } };
    expect((await scene.alice.call(scene.gateway.url, queuePath, foreign)).status).toBe(403);
    expect(scene.standIn.asked).toEqual([]);
  });
});

describe("bad input does not reach matchmaking", () => {
  const refused = async (answer: Response, status = 400, code = "INVALID_REQUEST", pointer?: string) => {
    const seen = { status: answer.status, headers: answer.headers, text: await answer.text() };
    expectRefusal(seen, { status, code, ...(pointer ? { pointer } : {}) });
    expect(scene.standIn.asked).toEqual([]);
  };
  const send = (raw: NonNullable<RequestInit["body"]>) =>
    scene.alice.call(scene.gateway.url, queuePath, { method: "POST", headers: { "content-type": "application/json" }, body: raw });
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, n) => [`a${n}`, n]));

  test.each<[string, object, string]>([
    ["a party of nobody", { party_size: 0 }, "/party_size"],
    ["a party of two", { party_size: 2 }, "/party_size"],
    ["a party in words", { party_size: "1" }, "/party_size"],
    ["no party", { party_size: undefined }, "/party_size"],
    ["no attributes", { attributes: undefined }, "/attributes"],
    ["attributes as a list", { attributes: [] }, "/attributes"],
    ["attributes as a text", { attributes: "rating" }, "/attributes"],
    ["attributes that are null", { attributes: null }, "/attributes"],
    ["too many attributes", { attributes: many(17) }, "/attributes"],
    ["a nested attribute", { attributes: { a: { b: 1 } } }, "/attributes/a"],
    ["a list in an attribute", { attributes: { a: [1] } }, "/attributes/a"],
    ["null in an attribute", { attributes: { a: null } }, "/attributes/a"],
    ["an attribute that is too long", { attributes: { a: "🎁".repeat(201) } }, "/attributes/a"],
    ["an attribute with U+0000", { attributes: { a: "a\0b" } }, "/attributes/a"],
    ["no key", { idempotency_key: undefined }, "/idempotency_key"],
    ["an empty key", { idempotency_key: "" }, "/idempotency_key"],
    ["a key with a space", { idempotency_key: "a b" }, "/idempotency_key"],
    ["a key beyond ASCII", { idempotency_key: "clé" }, "/idempotency_key"],
    ["a key of 256 characters", { idempotency_key: "k".repeat(256) }, "/idempotency_key"],
    ["a number as key", { idempotency_key: 1 }, "/idempotency_key"],
    ["an unknown member", { user_id: "bob" }, "/user_id"],
  ])("%s", async (_, change, pointer) => {
    await refused(await scene.join({ ...aJoin, ...change }), 400, "INVALID_REQUEST", pointer);
  });

  test.each([
    ["a number without an end", '{"a":1e400}', "/attributes/a"],
    ["a nested attribute of the name __proto__", '{"__proto__":{"a":1}}', "/attributes/__proto__"],
  ])("%s", async (_, attributes, pointer) => {
    const given = JSON.stringify(aJoin).replace('{"team":"red"}', attributes);
    await refused(await send(given), 400, "INVALID_REQUEST", pointer);
  });

  test.each(badBodies({ idempotency_key: "k1", rest: "1" }))("a body that is %s", async (_, raw, { status, code }) => {
    const given = typeof raw === "string" ? raw.replace('"rest":"1"', '"party_size":1,"attributes":{}') : raw;
    await refused(await send(given), status, code);
  });

  test.each(["x", "0192a000", `${ticketId}0`, "..%2fqueues", "%2e%2e", `${ticketId}%2f..`])("the ticket %s", async given => {
    const [read, cancelled] = [
      await scene.get(`${ticketsPath}/${given}`),
      await scene.alice.call(scene.gateway.url, `${ticketsPath}/${given}`, { method: "DELETE" }),
    ];
    for (const { status } of [read, cancelled]) expect([400, 404, 405]).toContain(status);
    expect(scene.standIn.asked.filter(({ path }) => path.startsWith(`${ticketsPath}/`))).toEqual([]);
  });

  test("a queue whose name would lead elsewhere, or is too long", async () => {
    for (const mode of ["a%2f..%2f..", "x%5c..", "m".repeat(201)])
      await refused(await scene.alice.send(scene.gateway.url, "POST", `/v1/matchmaking/queues/${mode}/tickets`, aJoin));
    await scene.alice.send(scene.gateway.url, "POST", "/v1/matchmaking/queues/a%2fb%3fc/tickets", aJoin);
    expect(scene.standIn.asked.map(({ path }) => path)).toEqual(["/v1/matchmaking/queues/a%2Fb%3Fc/tickets"]);
  });

  test("a query that no route takes", async () => {
    for (const path of ["/v1/matchmaking/queues", ticketsPath, ticketPath]) await refused(await scene.get(`${path}?user_id=bob`));
    await refused(await scene.alice.send(scene.gateway.url, "POST", `${queuePath}?user_id=bob`, aJoin));
  });
});
