import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { nowhere } from "../../testing/gateway.ts";
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

let scene: MatchmakingScene;
beforeAll(async () => {
  scene = await matchmakingScene();
});
afterAll(() => scene.close());
beforeEach(() => scene.reset());

describe("joins", () => {
  test("have a limit of their own: 429 for this user in all sessions, while other requests and other users are served", async () => {
    const strict = await scene.anotherGateway({ LIMIT_MATCHMAKING: "4" });
    const elsewhere = await scene.signedIn("alice");
    const first = await scene.alice.send(strict.url, "POST", queuePath, aJoin);
    expect(first.headers.get("ratelimit-policy")).toBe('"session";q=1000000;w=60, "user";q=166667;w=10, "matchmaking";q=4;w=60');
    expect(first.headers.get("ratelimit")).toMatch(/, "matchmaking";r=3;t=\d+$/);
    const more = await Promise.all(Array.from({ length: 7 }, () => elsewhere.send(strict.url, "POST", queuePath, aJoin)));
    expect(more.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429, 429, 429]);
    expect(scene.standIn.asked).toHaveLength(4);
    const refused = await scene.alice.send(strict.url, "POST", queuePath, aJoin);
    expect(Number(refused.headers.get("retry-after"))).toBeWithin(1, 16);
    expect(refused.headers.get("ratelimit")).toMatch(/, "matchmaking";r=0;t=\d+$/);
    expect(await refused.json()).toMatchObject({
      code: "RATE_LIMITED",
      detail: expect.stringContaining("4 requests a minute of one user to join"),
    });
    for (const path of [ticketsPath, "/v1/me"]) expect((await scene.alice.fetch(`${strict.url}${path}`)).status).toBe(200);
    expect((await scene.alice.call(strict.url, ticketPath, { method: "DELETE" })).status).toBe(200);
    expect((await scene.bob.send(strict.url, "POST", queuePath, aJoin)).status).toBe(200);
  });
});

describe("matchmaking that is away", () => {
  test("says so by a 503, which arrives with its Retry-After and its name; a 503 of somebody else is a bad gateway", async () => {
    scene.standIn.answer = problem(503, "UNAVAILABLE", {}, { "retry-after": "3" });
    for (const answer of [await scene.get("/v1/matchmaking/queues"), await scene.join()]) {
      expect([answer.status, answer.headers.get("retry-after")]).toEqual([503, "3"]);
      expect(await answer.json()).toMatchObject({ code: "UNAVAILABLE", detail: "matchmaking: about UNAVAILABLE" });
    }
    scene.standIn.answer = problem(503, "UNAVAILABLE");
    expect((await scene.join()).headers.get("retry-after")).toBe("1");
    scene.standIn.answer = () => new Response("<html>", { status: 503 });
    expect(await codeOf(await scene.join())).toEqual([502, "MATCHMAKING_BAD_GATEWAY"]);
    scene.standIn.answer = problem(500, "INTERNAL");
    expect(await codeOf(await scene.join())).toEqual([502, "MATCHMAKING_BAD_GATEWAY"]);
    scene.standIn.answer = () => new Response("<html>");
    expect(await codeOf(await scene.join())).toEqual([502, "MATCHMAKING_BAD_GATEWAY"]);
  });

  test("is not asked again if its 503 took long: the client would get a timeout instead", async () => {
    scene.standIn.answer = async () => {
      await Bun.sleep(600);
      return problem(503, "UNAVAILABLE")();
    };
    expect(await codeOf(await scene.get(ticketsPath))).toEqual([503, "UNAVAILABLE"]);
    expect(scene.standIn.asked).toHaveLength(1);
  });

  test("does not disturb profiles and notifications: its circuit opens alone, and closes again", async () => {
    const profile = `/v1/users/${scene.alice.userId}/profile`;
    const others = async () => [(await scene.get(profile)).status, (await scene.get("/v1/me/notifications")).status];
    Object.assign(scene.standIn, { answer: problem(503, "UNAVAILABLE"), isReady: false });
    await until("matchmaking is no longer asked", 10_000, async () => {
      const [before, answer] = [scene.standIn.asked.length, await scene.join()];
      expect(await codeOf(answer)).toEqual([503, "UNAVAILABLE"]);
      return scene.standIn.asked.length === before;
    });
    expect(await others()).toEqual([200, 200]);
    expect(await codeOf(await scene.get(`${profile}?ticket_id=${ticketId}`))).toEqual([503, "UNAVAILABLE"]);
    Object.assign(scene.standIn, { answer: () => Response.json(aTicket), isReady: true });
    await until("matchmaking is asked again", 5000, async () => (await scene.join()).status === 200);
  });

  test("is not meant when entitlement and notification are away: players still join", async () => {
    const lonely = await scene.anotherGateway({ ENTITLEMENT_URL: nowhere, NOTIFICATION_URL: nowhere });
    const at = (path: string) => scene.alice.fetch(`${lonely.url}${path}`);
    for (let n = 0; n < 8; n++) {
      expect((await at("/v1/me/notifications")).status).toBe(502);
      expect((await at(`/v1/users/${scene.alice.userId}/profile`)).status).toBe(502);
    }
    expect([(await at(ticketsPath)).status, (await scene.alice.send(lonely.url, "POST", queuePath, aJoin)).status]).toEqual([200, 200]);
  });
});
