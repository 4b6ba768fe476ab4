import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import {
  aTicket,
  codeOf,
  type MatchmakingScene,
  matchmakingScene,
  problem,
  ticketId,
  ticketPath,
} from "../../testing/matchmaking_scene.ts";

let scene: MatchmakingScene;
beforeAll(async () => {
  scene = await matchmakingScene();
});
afterAll(() => scene.close());
beforeEach(() => scene.reset());

describe("the profile", () => {
  const matched = { ...aTicket, status: "MATCHED", match_id: "m", peer_user_ids: ["bob"], session: "s" };
  const profile = (query: string, headers = {}) => scene.get(`/v1/users/${scene.alice.userId}/profile${query}`, headers);
  const partsOf = async (answer: Response) => Object.keys((await answer.json()) as object);

  test("has the ticket if its id is given and its part is wanted", async () => {
    scene.standIn.answer = () => Response.json(matched);
    expect(await (await profile(`?ticket_id=${ticketId}&fields=matchmaking`)).json()).toEqual({ matchmaking: matched } as never);
    expect(await partsOf(await profile(`?ticket_id=${ticketId}`))).toEqual(["account", "entitlement", "matchmaking"]);
    expect(scene.standIn.asked.map(({ path }) => path)).toEqual([ticketPath, ticketPath]);
    expect(await partsOf(await profile(`?ticket_id=${ticketId}&fields=account`))).toEqual(["account"]);
    expect(await partsOf(await profile("?fields=account,matchmaking"))).toEqual(["account"]);
    expect(scene.standIn.asked).toHaveLength(2);
  });

  test("has a short ticket for a game", async () => {
    const game = { "x-kenri-client": "game" };
    const asked = `?ticket_id=${ticketId}&fields=matchmaking`;
    expect(await (await profile(asked, game)).json()).toEqual({ matchmaking: { ticket_id: ticketId, status: "QUEUED" } } as never);
    scene.standIn.answer = () => Response.json(matched);
    const { match_id, peer_user_ids, session } = matched;
    expect(await (await profile(asked, game)).json()).toEqual({
      matchmaking: { ticket_id: ticketId, status: "MATCHED", match_id, peer_user_ids, session },
    } as never);
  });

  test("has no such part if the ticket no longer exists, and is refused for another user's ticket", async () => {
    for (const code of ["TICKET_NOT_FOUND", "TICKET_LOST"]) {
      scene.standIn.answer = problem(404, code);
      expect(await partsOf(await profile(`?ticket_id=${ticketId}`))).toEqual(["account", "entitlement"]);
    }
    scene.standIn.answer = problem(403, "TICKET_FORBIDDEN");
    expect(await codeOf(await profile(`?ticket_id=${ticketId}`))).toEqual([403, "TICKET_FORBIDDEN"]);
    scene.standIn.answer = problem(404, "NOT_FOUND");
    expect(await codeOf(await profile(`?ticket_id=${ticketId}`))).toEqual([404, "NOT_FOUND"]);
  });

  test("fails as a whole and names matchmaking if that fails, unless its part is not wanted", async () => {
    scene.standIn.answer = () => new Response("", { status: 500 });
    expect(await codeOf(await profile(`?ticket_id=${ticketId}`))).toEqual([502, "MATCHMAKING_BAD_GATEWAY"]);
    expect((await profile(`?ticket_id=${ticketId}&fields=account,entitlement`)).status).toBe(200);
    expect((await profile("")).status).toBe(200);
  });

  test.each(["x", "", `${ticketId}x`, "..%2fqueues"])("takes no ticket_id=%s", async given => {
    expect(await codeOf(await profile(`?ticket_id=${given}`))).toEqual([400, "INVALID_REQUEST"]);
    expect(scene.standIn.asked).toEqual([]);
  });
});
