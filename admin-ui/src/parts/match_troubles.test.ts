import { expect, test } from "bun:test";
import type { Queue } from "../api/matchmaking_answers.ts";
import { matchAttention, matchTroublesOf } from "./match_troubles.ts";

const minute = (invalid: number, expired = 0) => ({
  minute: "2026-01-01T12:00:00.000Z",
  joined: 0,
  matches: 0,
  cancelled: 0,
  expired,
  invalid,
});
const queue = (given: Partial<Queue> = {}): Queue => ({
  mode: "casual",
  strategy: "fifo",
  ticket_ttl_seconds: 60,
  waiting: 0,
  oldest_wait_seconds: null,
  unpaired_seconds: null,
  overdue_seconds: null,
  time_to_match: { samples: 0, p50_seconds: null, p99_seconds: null },
  minutes: [minute(0)],
  totals: { joined: 0, matched: 0, cancelled: 0, expired: 0, invalid: 0 },
  unpublished: 0,
  oldest_unpublished_seconds: null,
  unconfirmed: 0,
  oldest_unconfirmed_seconds: null,
  void_matches: 0,
  ...given,
});
const rating = (given: Partial<Queue>) => queue({ mode: "rank", strategy: "rating", ...given });
const unpublished = (count: number, age: number) => queue({ unpublished: count, oldest_unpublished_seconds: age });
const found = (...queues: Queue[]) => matchTroublesOf(queues).map(({ tone, text }) => [tone, text]);

test.each([
  ["an idle queue", [queue()], []],
  ["matches on their way", [unpublished(12, 0.2), queue({ unconfirmed: 40, oldest_unconfirmed_seconds: 1.5 })], []],
  ["expired tickets are normal: nobody else was there", [queue({ minutes: [minute(0, 40)] })], []],
  ["one player waits alone", [queue({ waiting: 1, oldest_wait_seconds: 55 })], []],
  ["a ticket released from a void match: its player joined long ago", [queue({ waiting: 1, oldest_wait_seconds: 900 })], []],
  ["two players who are paired in a moment", [queue({ waiting: 2, oldest_wait_seconds: 900, unpaired_seconds: 10 })], []],
  ["a ticket that is removed in a moment", [queue({ waiting: 1, oldest_wait_seconds: 70, overdue_seconds: 10 })], []],
  ["two players whose ratings differ too much yet", [rating({ waiting: 2, oldest_wait_seconds: 25 })], []],
  [
    "nobody is paired",
    [queue({ waiting: 4, oldest_wait_seconds: 30, unpaired_seconds: 10.5 })],
    [["failed", "4 players wait in casual, and nobody has paired them for 10 s"]],
  ],
  [
    "nobody is paired by rating",
    [rating({ waiting: 2, oldest_wait_seconds: 50, unpaired_seconds: 20 })],
    [["failed", "2 players wait in rank, and nobody has paired them for 20 s"]],
  ],
  [
    "nobody is paired and nothing expires: it is said once",
    [queue({ waiting: 2, oldest_wait_seconds: 90, unpaired_seconds: 80, overdue_seconds: 30 })],
    [["failed", "2 players wait in casual, and nobody has paired them for 1 m 20 s"]],
  ],
  ["slow publishing", [unpublished(1, 7)], [["retry", "1 match is not published, the oldest for 7.0 s"]]],
  [
    "a backlog of two modes",
    [unpublished(2, 31), unpublished(3, 125)],
    [["failed", "5 matches are not published, the oldest for 2 m 5 s"]],
  ],
  [
    "matches that nobody is told of",
    [queue({ unconfirmed: 2, oldest_unconfirmed_seconds: 61 })],
    [["failed", "2 matches are published and not announced, the oldest for 1 m 1 s"]],
  ],
  ["an invalid ticket", [queue({ minutes: [minute(1), minute(0)] })], [["failed", "1 ticket became invalid in the last hour"]]],
  [
    "tickets that outlive their time",
    [rating({ waiting: 1, oldest_wait_seconds: 95, overdue_seconds: 35 })],
    [["failed", "1 player waits in rank, and a ticket is 35 s past its expiry"]],
  ],
  [
    "what needs a person comes first",
    [unpublished(1, 7), queue({ minutes: [minute(2)] })],
    [
      ["failed", "2 tickets became invalid in the last hour"],
      ["retry", "1 match is not published, the oldest for 7.0 s"],
    ],
  ],
] as const)("%s", (_, queues, expected) => expect(found(...queues)).toEqual(expected.map(one => [...one])));

test("the badge counts what needs a person, and nothing that passes by itself", () => {
  expect(matchAttention(matchTroublesOf([unpublished(4, 7)]))).toBe(0);
  expect(matchAttention(matchTroublesOf([unpublished(4, 60), queue({ minutes: [minute(2)] })]))).toBe(6);
});

test("work that an operator has paused is no trouble; a ticket past its expiry still is", () => {
  const queues = [
    unpublished(4, 60),
    queue({ waiting: 3, unpaired_seconds: 40 }),
    queue({ mode: "rank", waiting: 1, overdue_seconds: 30 }),
  ];
  const left = matchTroublesOf(queues, ["matchmaking:matcher", "matchmaking:relay"]).map(({ kind, text }) => [kind, text]);
  expect(left).toEqual([["matcher", "1 player waits in rank, and a ticket is 30 s past its expiry"]]);
  const unannounced = queue({ unconfirmed: 2, oldest_unconfirmed_seconds: 90 });
  expect([matchTroublesOf([unannounced]).length, matchTroublesOf([unannounced], ["notification:consumer"]).length]).toEqual([1, 0]);
});
