import { describe, expect, test } from "bun:test";
import { create } from "@bufbuild/protobuf";
import { TimestampSchema } from "@bufbuild/protobuf/wkt";
import { type MatchFacts, matchMessage, type PlayerFacts } from "../../testing/match_events.ts";
import { decodeMatchEvent } from "./match_event.ts";

const id = (n: number) => `01890000-0000-7000-8000-${String(n).padStart(12, "0")}`;
const traceId = "4bf92f3577b34da6a3ce929d0e0e4736";
const arrivedAt = Date.UTC(2026, 0, 1, 12);
const noon = BigInt(arrivedAt / 1000);
const time = (seconds: bigint, nanos = 0) => create(TimestampSchema, { seconds, nanos });
const alice: PlayerFacts = {
  userId: "alice",
  ticketId: id(1),
  joinId: id(2),
  noticeId: id(3),
  joinedAt: time(noon - 7n, 5000),
  traceparent: `00-${traceId}-00f067aa0ba902b7-01`,
};
const bob: PlayerFacts = { userId: "bob", ticketId: id(4), joinId: id(5), noticeId: id(6), joinedAt: time(noon - 2n) };
const made = (facts: MatchFacts = {}) =>
  matchMessage({ matchId: id(9), occurredAt: time(noon - 1n, 123_456_000), session: id(8), players: [alice, bob], ...facts });
const decode = (facts: MatchFacts = {}, more: Record<string, string> = {}) => {
  const { data, headers } = made(facts);
  return decodeMatchEvent(data, { ...headers, ...more }, arrivedAt);
};
const reasonOf = (decoded: ReturnType<typeof decodeMatchEvent>) => ("reason" in decoded ? decoded.reason : decoded.event);
const players = (facts: PlayerFacts): MatchFacts => ({ players: [alice, { ...bob, ...facts }] });

test("a match is read as a notice to each player, with the other as peer, and each goes on with the trace of its player", () => {
  const decoded = decode();
  if ("reason" in decoded) throw new Error(decoded.reason);
  expect(decoded.event).toMatchObject({
    matchId: id(9),
    occurredAt: "2026-01-01T11:59:59.123456Z",
    session: id(8),
    notices: [
      {
        eventId: id(3),
        joinId: id(2),
        aggregateKey: `match:${id(9)}:alice`,
        userId: "alice",
        peerUserIds: ["bob"],
        payload: {
          user_id: "alice",
          match_id: id(9),
          mode: "casual",
          ticket_id: id(1),
          peer_user_ids: ["bob"],
          session: id(8),
          joined_at: "2026-01-01T11:59:53.000005Z",
          occurred_at: "2026-01-01T11:59:59.123456Z",
          trace_id: traceId,
        },
      },
      { eventId: id(6), joinId: id(5), aggregateKey: `match:${id(9)}:bob`, userId: "bob", peerUserIds: ["alice"] },
    ],
  });
  const [first, second] = decoded.event.notices;
  expect(first!.traceparent).toStartWith(`00-${traceId}-`);
  expect(second!.payload.trace_id).toBe(second!.traceparent.split("-")[1]!);
});

describe("a value that matchmaking may send is read", () => {
  const allowed: [what: string, facts: MatchFacts][] = [
    ["a mode of 32 characters", { mode: `r${"a-_0".repeat(7)}xyz` }],
    ["a player without a trace", players({ traceparent: "" })],
    ["a user id with a colon", players({ userId: "match:x:y" })],
    ["a clock that was set back by less than a minute", players({ joinedAt: time(noon + 59n) })],
    ["a time a little ahead of the clock here", { occurredAt: time(noon + 86_400n) }],
  ];
  test.each(allowed)("%s", (_, facts) => expect(decode(facts)).toHaveProperty("event"));

  test("a match that was published again", () => {
    for (const messageId of [id(9), `${id(9)}:r1`, `${id(9)}:r12`])
      expect(decode({}, { "Nats-Msg-Id": messageId })).toHaveProperty("event");
  });
});

describe("bytes that are not a match are refused with the reason", () => {
  const { data } = made();
  const cases: [name: string, data: Uint8Array, reason: RegExp][] = [
    ["nothing", new Uint8Array(), /^match_id is not a UUID$/],
    ["JSON", new TextEncoder().encode('{"match_id":"x"}'), /^not a MatchEvent|is not a UUID$/],
    ["noise", new Uint8Array(1000).fill(255), /^not a MatchEvent/],
    ["half a message", data.slice(0, 60), /^not a MatchEvent/],
  ];
  test.each(cases)("%s", (_, bytes, reason) => expect(reasonOf(decodeMatchEvent(bytes, {}, arrivedAt))).toMatch(reason));
});

describe("a field that breaks a rule is named with the rule", () => {
  const text = /^players\[1\]\.user_id must be 1 to 200 characters, not blank, valid Unicode without U\+0000$/;
  const mode = /^mode must be a lower-case letter and up to 31 of a-z, 0-9, _ and -$/;
  const cases: [name: string, facts: MatchFacts, reason: RegExp][] = [
    ["another id", { matchId: "1" }, /^match_id is not a UUID$/],
    ["an id in upper case", { matchId: id(9).toUpperCase().replace("0189", "ABCD") }, /^match_id is not a UUID$/],
    ["another type", { eventType: "MatchLost" }, /^event_type "MatchLost" is not known$/],
    ["no mode", { mode: "" }, mode],
    ["a mode in upper case", { mode: "Casual" }, mode],
    ["a mode of 33 characters", { mode: "a".repeat(33) }, mode],
    ["a mode with a line feed", { mode: "casual\n" }, mode],
    ["no session", { session: "" }, /^session is not a UUID$/],
    ["no time", { occurredAt: undefined }, /^occurred_at is missing$/],
    ["a time before the year 2000", { occurredAt: time(946_684_799n) }, /^occurred_at is out of range/],
    ["a time more than a day ahead", { occurredAt: time(noon + 86_401n) }, /to a day after the message came/],
    ["nanoseconds below 0", { occurredAt: time(noon, -1) }, /^occurred_at is out of range: it has -1 nanoseconds/],
    ["no players", { players: [] }, /^players must be 2, not 0$/],
    ["one player", { players: [alice] }, /^players must be 2, not 1$/],
    ["three players", { players: [alice, bob, { userId: "carol" }] }, /^players must be 2, not 3$/],
    ["nobody", players({ userId: "" }), text],
    ["a user of 201 characters", players({ userId: "x".repeat(201) }), text],
    ["U+0000 in the user", players({ userId: "a\0b" }), text],
    ["a ticket that is no UUID", players({ ticketId: "t" }), /^players\[1\]\.ticket_id is not a UUID$/],
    ["a request that is no UUID", players({ joinId: "" }), /^players\[1\]\.join_id is not a UUID$/],
    ["a notice that is no UUID", players({ noticeId: "n" }), /^players\[1\]\.notice_id is not a UUID$/],
    ["no time of joining", players({ joinedAt: undefined }), /^players\[1\]\.joined_at is missing$/],
    ["a player who joined later", players({ joinedAt: time(noon + 60n) }), /^players\[1\]\.joined_at must not be later than occurred_at$/],
    ["a trace that is none", players({ traceparent: "garbage" }), /^players\[1\]\.traceparent must be a W3C trace context/],
    ["a player against herself", players({ userId: "alice" }), /^players must have different user_ids$/],
    ["one ticket for both", players({ ticketId: id(1) }), /^players must have different ticket_ids$/],
    ["one request for both", players({ joinId: id(2) }), /^players must have different join_ids$/],
    ["one notice for both", players({ noticeId: id(3) }), /^players must have different notice_ids$/],
    ["70 kB", { session: "x".repeat(70_000) }, /^the message has 70\d+ bytes; at most 65536 are allowed$/],
  ];
  test.each(cases)("%s", (_, facts, reason) => expect(reasonOf(decode(facts))).toMatch(reason));
});

describe("headers that disagree with the match are named", () => {
  const cases: [name: string, headers: Record<string, string>, reason: RegExp][] = [
    [
      "the message id of another match",
      { "Nats-Msg-Id": id(7) },
      /^the header Nats-Msg-Id must be the match_id, or the match_id with :r<n>$/,
    ],
    ["the message id of a notice", { "Nats-Msg-Id": id(3) }, /^the header Nats-Msg-Id must be/],
    ["generation 0", { "Nats-Msg-Id": `${id(9)}:r0` }, /^the header Nats-Msg-Id must be/],
    ["another type", { event_type: "EntitlementGranted" }, /^the header event_type must be/],
    ["another aggregate", { aggregate_key: id(7) }, /^the header aggregate_key must be the match_id/],
    ["much else", { "x-more": "x".repeat(70_000) }, /^the message has 7\d+ bytes/],
  ];
  test.each(cases)("%s", (_, headers, reason) => expect(reasonOf(decode({}, headers))).toMatch(reason));

  test("none at all", () => expect(reasonOf(decodeMatchEvent(made().data, {}, arrivedAt))).toMatch(/^the header Nats-Msg-Id must be/));
});
