import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { limitOf } from "../../kernel/http/cursor.ts";
import { Problem } from "../../kernel/http/problem.ts";
import { pageLimit, uuid } from "../../kernel/http/text.ts";
import { maskFor } from "../masking.ts";
import type { ModeStore } from "../mode_store.ts";
import { type Match, readMatch } from "./match.ts";
import { modeFilter, storesFor } from "./mode_filter.ts";

/** The last matches of all modes, and one of them. */
export function matchRoutes(stores: ReadonlyMap<string, ModeStore>, requires: Requires) {
  const filter = modeFilter(stores);

  async function recent(store: ModeStore, limit: number): Promise<Match[]> {
    const ids = await store.recentMatches(limit);
    const found = await Promise.all(ids.map(id => readMatch(store, id)));
    return found.filter(match => match !== undefined);
  }

  return new Elysia({ normalize: false })
    .get(
      "/ops/matches",
      async ({ query, request }) => {
        const limit = limitOf(query);
        const lists = await Promise.all(storesFor(stores, query.mode).map(store => recent(store, limit)));
        const matches = lists.flat().sort((a, b) => (a.match_id < b.match_id ? 1 : -1));
        return maskFor(callerOf(request), { matches: matches.slice(0, limit) });
      },
      {
        query: Type.Object({ mode: filter, limit: Type.Optional(pageLimit("how many")) }, { additionalProperties: false }),
        ...requires("ops:read"),
        detail: {
          summary: "The last matches, newest first",
          description: "Of the newest 1,000 of each mode, as long as they are kept. Scope: ops:read.",
        },
      },
    )
    .get(
      "/ops/matches/:match_id",
      async ({ params: { match_id }, request }) => {
        const found = await Promise.all([...stores.values()].map(store => readMatch(store, match_id.toLowerCase())));
        const match = found.find(one => one !== undefined);
        if (!match) throw new Problem(404, "MATCH_NOT_FOUND", "there is no such match, or it was announced long ago and is forgotten");
        return maskFor(callerOf(request), match);
      },
      {
        params: Type.Object({ match_id: uuid("the match") }),
        query: Type.Object({}, { additionalProperties: false }),
        ...requires("ops:read"),
        detail: { summary: "One match", description: "Scope: ops:read." },
      },
    );
}
