import { expect, test } from "bun:test";
import { notificationRows } from "../../../server/notification/operator/row_kind.ts";
import { matchIn, noticeText } from "./notice_words.ts";

const match = {
  type: "MatchFound",
  payload: {
    user_id: "alice",
    match_id: "m1",
    mode: "casual",
    peer_user_ids: ["bob"],
    session: "s1",
    joined_at: "2026-01-01T12:00:00.000000Z",
    occurred_at: "2026-01-01T12:00:03.000000Z",
  },
};

test.each([
  ["a grant", { type: "EntitlementGranted", payload: { stock_keeping_unit: "sword" } }, "You were granted sword."],
  ["a revoke", { type: "EntitlementRevoked", payload: { stock_keeping_unit: "sword" } }, "sword was revoked."],
  ["a grant of something unknown", { type: "EntitlementGranted", payload: {} }, "You were granted something."],
  ["a match", match, "Match in casual against bob."],
  ["a masked match", { type: "MatchFound", payload: { mode: "•••", peer_user_ids: ["•••"] } }, "Match in ••• against •••."],
  ["a match without facts", { type: "MatchFound", payload: {} }, "Match in an unknown mode against an unknown player."],
  ["a match without a payload", { type: "MatchFound", payload: null }, "MatchFound"],
  ["an unknown type", { type: "SomethingNew", payload: {} }, "SomethingNew"],
])("the sentence of %s", (_, notice, text) => expect(noticeText(notice)).toBe(text));

test("every type of notification has a sentence of its own", () => {
  for (const { name } of notificationRows.types) {
    const text = noticeText({ type: name, payload: { ...match.payload, stock_keeping_unit: "sword" } });
    expect(text).not.toContain(name);
    expect(text).not.toMatch(/undefined|null|unknown/);
  }
});

test("only a match has the facts of a match", () => {
  expect(matchIn(match)).toMatchObject({ matchId: "m1", mode: "casual", peer: "bob", pairedAt: match.payload.occurred_at });
  expect(matchIn({ type: "EntitlementGranted", payload: match.payload })).toBeUndefined();
});
