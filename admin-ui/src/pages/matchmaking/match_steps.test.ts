import { expect, test } from "bun:test";
import type { JourneyDeadLetter, JourneyNotification } from "../../api/journeys.ts";
import type { Match } from "../../api/matchmaking_answers.ts";
import { matchStepsOf } from "./match_steps.ts";
import type { Announcement } from "./queries.ts";

const at = (second: number) => `2026-01-01T12:00:${String(second).padStart(2, "0")}.000Z`;
const player = (name: string, joined: number) => ({
  user_id: name,
  ticket_id: `ticket of ${name}`,
  join_id: `join of ${name}`,
  notice_id: `notice of ${name}`,
  joined_at: at(joined),
  waited_seconds: 5 - joined,
  trace_id: "",
});
const paired: Match = {
  match_id: "m",
  mode: "casual",
  state: "PAIRED",
  session: "s",
  players: [player("alice", 1), player("bob", 4)],
  paired_at: at(5),
  published_at: null,
  stream_seq: null,
  publish_generation: 0,
  announced_at: null,
  voided_at: null,
  why: null,
  trace_id: "",
};
const published: Match = { ...paired, state: "PUBLISHED", published_at: at(6), stream_seq: 7 };
const announced: Match = { ...published, state: "ANNOUNCED", announced_at: at(8) };

const notice = (name: string, given: Partial<JourneyNotification> = {}): JourneyNotification => ({
  notification_id: `n of ${name}`,
  event_id: `notice of ${name}`,
  user_id: name,
  type: "MatchFound",
  aggregate_version: 1,
  stale: false,
  channel: "stream",
  status: "SENT",
  attempt_count: 0,
  last_error: null,
  created_at: at(7),
  sent_at: at(9),
  next_retry_at: at(7),
  position: 3,
  read_at: null,
  trace_id: "",
  payload: {},
  processed: { processed_at: at(7), stale: false, stream_seq: 7 },
  attempts: [],
  dead: null,
  actions: [],
  ...given,
});
const nobody: Announcement = { notices: [], letters: [] };
const told = (...notices: JourneyNotification[]): Announcement => ({ notices, letters: [] });

const steps = (match: Match, announcement: Announcement | undefined = nobody) => matchStepsOf(match, announcement, name => name);
const lines = (match: Match, announcement?: Announcement) =>
  steps(match, announcement).map(({ at: when, title, missing }) => `${when?.slice(17, 19) ?? missing ?? "not yet"} ${title}`);

test("an announced match has all steps, in order", () => {
  expect(lines(announced, told(notice("alice"), notice("bob", { sent_at: at(10) })))).toEqual([
    "01 alice joined casual",
    "04 bob joined casual",
    "05 Paired",
    "06 Published as #7",
    "07 Consumed by notification",
    "08 Announced: notification holds both notices",
    "09 alice told",
    "10 bob told",
  ]);
});

test("what has not happened is said quietly", () => {
  const some = steps(paired);
  expect(lines(paired).slice(3)).toEqual([
    "not yet Published",
    "not yet Consumed by notification",
    "not yet alice told",
    "not yet bob told",
    "not yet Announced: notification holds both notices",
  ]);
  expect(new Set(some.slice(3).map(({ tone }) => tone))).toEqual(new Set(["pending"]));
});

test("a publish that failed shows its error, and a repeated one its generation", () => {
  expect(steps({ ...paired, why: "NATS is not connected" })[3]).toMatchObject({ tone: "retry", error: "NATS is not connected" });
  expect(steps({ ...published, publish_generation: 2 })[3]).toMatchObject({ title: "Published again as #7", text: "generation 2" });
});

test("a step is in its place although the clock of its system is behind", () => {
  const early = { processed: { processed_at: at(2), stale: false, stream_seq: 7 } };
  expect(lines(announced, told(notice("alice", early), notice("bob", early)))[4]).toBe("02 Consumed by notification");
});

test("a player who could not be told needs attention, the other one does not", () => {
  const failed = notice("bob", { status: "FAILED", sent_at: null, attempt_count: 5, last_error: "no way" });
  const some = steps(announced, told(notice("alice"), failed));
  expect(some.at(-1)).toMatchObject({
    tone: "failed",
    title: "bob not told: needs attention",
    error: "no way",
    row: { kind: "notifications", id: "n of bob" },
  });
  expect(some.find(({ title }) => title === "alice told")).toMatchObject({ tone: "done", notification: "n of alice" });
  const retried = steps(announced, told(notice("bob", { status: "PENDING", sent_at: null, attempt_count: 2, last_error: "busy" })));
  expect(retried.find(({ title }) => title === "bob told")).toMatchObject({ tone: "retry", error: "busy" });
});

test("an unreadable message leads to its actions, and the match is not shown as consumed", () => {
  const letter = { id: "l", received_at: at(7), reprocessed_at: null, reason: "no such field", stream_seq: 7 } as JourneyDeadLetter;
  const some = steps(published, { notices: [], letters: [letter] });
  expect(some.find(({ letter: id }) => id === "l")).toMatchObject({ tone: "failed", error: "no such field" });
  expect(some.map(({ key }) => key)).not.toContain("consumed");
});

test("a void match says why, and promises nothing", () => {
  const some = lines({ ...published, state: "VOID", voided_at: at(9), why: "alice was announced in another match" });
  expect(some.slice(3)).toEqual(["06 Published as #7", "09 Void: nobody is told of this match"]);
  expect(lines({ ...paired, state: "VOID", voided_at: at(9), why: "w" }).slice(2)).toEqual([
    "05 Paired",
    "09 Void: nobody is told of this match",
  ]);
});

test("unknown is not the same as not yet, and deleted is neither", () => {
  expect(lines(published, { ...nobody, trouble: "502" })).toContain("unknown, notification does not answer alice told");
  expect(lines(announced)).toContain("deleted after its retention alice told");
  expect(matchStepsOf(published, undefined, name => name).find(({ key }) => key === "consumed")).toMatchObject({ missing: "loading" });
});
