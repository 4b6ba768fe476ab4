import { describe, expect, test } from "bun:test";
import type { Action, Attempt } from "../../api/answers.ts";
import type { JourneyDeadLetter, JourneyNotification } from "../../api/journeys.ts";
import { gapText } from "../../parts/causal_order.ts";
import { attemptsOf } from "../../parts/publish_attempts.ts";
import { markdownOf } from "./markdown.ts";
import { outcomeOf } from "./outcome.ts";
import type { JourneyEvent } from "./queries.ts";
import { type Chain, stepsOf } from "./steps.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();

const event: JourneyEvent = {
  event_id: "e1",
  event_type: "EntitlementGranted",
  user_id: "alice",
  stock_keeping_unit: "sword",
  aggregate_version: 1,
  status: "PUBLISHED",
  attempt_count: 0,
  last_error: null,
  created_at: at(1),
  published_at: at(2),
  next_retry_at: null,
  confirmed_at: at(8),
  missing_at: null,
  publish_generation: 0,
  stream_seq: 7,
  stream_duplicate: null,
  trace_id: "t1",
  payload: null,
  audit: { at: at(1), client_id: "shop", status: "ACTIVE", version: 1, detail: {} },
  idempotency: { client_id: "shop", route: "POST /grants", idem_key: "order-1", response_code: 200, created_at: at(1), expires_at: at(59) },
  actions: [],
};

const attempt = (number: number, second: number, outcome: Attempt["outcome"]): Attempt => ({
  number,
  worker: "w",
  started_at: at(second),
  duration_ms: 10,
  outcome,
  error: outcome === "sent" ? null : "no | way",
});

const dead: JourneyNotification = {
  notification_id: "n1",
  event_id: "e1",
  user_id: "alice",
  type: "EntitlementGranted",
  aggregate_version: 1,
  stale: false,
  channel: "stream",
  status: "FAILED",
  attempt_count: 2,
  last_error: "no | way",
  created_at: at(3),
  sent_at: null,
  next_retry_at: at(6),
  position: null,
  read_at: null,
  trace_id: "t1",
  payload: {},
  dead: { failed_at: at(6), requeued_at: null, requeued_by: null },
  processed: { processed_at: at(3), stale: false, stream_seq: 7 },
  attempts: [attempt(2, 5, "dead"), attempt(1, 4, "retry")],
  actions: [],
};
const sent: JourneyNotification = {
  ...dead,
  status: "SENT",
  sent_at: at(5),
  dead: null,
  position: 3,
  attempts: [attempt(1, 4, "sent")],
};
const action = (name: string, second: number, detail: Record<string, string> = {}): Action => ({
  action_id: `${name} ${second}`,
  at: at(second),
  actor: "user:otto",
  action: name,
  subject: "e1",
  reason: "the cause is gone",
  detail,
});
const letter: JourneyDeadLetter = {
  untrusted: null,
  id: "l1",
  stream: "s",
  stream_seq: 7,
  subject: "sub",
  reason: "not an EntitlementEvent",
  event_id: "e1",
  size: 3,
  received_at: at(3),
  reprocessed_at: null,
  actions: [],
};
const unpublished = { ...event, published_at: null, stream_seq: null, confirmed_at: null };
const gone: JourneyEvent = { ...unpublished, status: null, attempt_count: null, publish_generation: null };

const chain = (given: Partial<Chain>): Chain => ({ eventId: "e1", event, notifications: [], ...given });
const titles = (given: Partial<Chain>) => stepsOf(chain(given)).map(({ title, at: time }) => (time ? title : `(${title})`));
const before = ["Request POST /grants returned 200", "Entitlement is active, version 1", "Event written to the outbox"];

test("a failed notification ends with the action it needs, without later steps", () => {
  expect(titles({ notifications: [dead] })).toEqual([
    ...before,
    "Published as #7",
    "Consumed by notification",
    "Notification created for alice",
    "Attempt 1 failed, retried later",
    "Attempt 2 failed, last attempt",
    "Moved to the dead-letter queue",
    "Confirmed: notification stored it",
    "(Not delivered: needs attention)",
  ]);
  const last = stepsOf(chain({ notifications: [dead] })).at(-1);
  expect(last).toMatchObject({ tone: "failed", row: { kind: "notifications", id: "n1", status: "FAILED" } });
});

describe("steps are in causal order, even if clocks differ", () => {
  test.each([
    ["the publish was recorded after the consumer had it", { ...event, published_at: at(4) }],
    ["the publish was recorded after the delivery", { ...event, published_at: at(7) }],
    ["the clock of entitlement is ahead", { ...event, created_at: at(9), published_at: at(9), audit: { ...event.audit!, at: at(9) } }],
    ["the clock of entitlement is behind", { ...event, confirmed_at: at(2) }],
  ])("%s", (_, late) => {
    const order = titles({ event: late, notifications: [sent] });
    const placeOf = (title: string) => order.findIndex(one => one.startsWith(title));
    const causes = [
      "Request",
      "Entitlement is",
      "Event written",
      "Published",
      "Consumed",
      "Notification created",
      "Attempt 1",
      "Delivered",
    ];
    expect(causes.map(placeOf)).toEqual(causes.map(placeOf).toSorted((a, b) => a - b));
    expect(placeOf("Confirmed")).toBeGreaterThan(placeOf("Consumed"));
    expect(causes.map(placeOf)).not.toContain(-1);
  });

  test("a republished event was consumed before its last publish", () => {
    const again = { ...event, published_at: at(30), stream_seq: 9, publish_generation: 1 };
    const order = titles({ event: again, notifications: [sent] });
    expect(order.indexOf("Consumed by notification")).toBeLessThan(order.indexOf("Published again as #9"));
  });
});

test.each([
  [1500, "+1.5 s"],
  [0, "+0 ms"],
  [-40, "≈ 0"],
  [-60_000, "earlier"],
])("a gap of %d ms is shown as %s", (gap, text) => expect(gapText(gap)).toBe(text));

test.each([
  [0, 0, "first attempt"],
  [2, 0, "attempt 3, after 2 failed"],
  [0, 1, "first attempt of republish 1"],
  [null, null, "first attempt"],
])("%p failed attempts in generation %p are described in words", (attempt_count, publish_generation, text) =>
  expect(attemptsOf({ attempt_count, publish_generation })).toBe(text),
);

test("the attempt before the dead-letter queue is the last one, even if its row says retry", () => {
  const old = { ...dead, attempts: [attempt(2, 5, "retry"), attempt(1, 4, "retry")] };
  expect(titles({ notifications: [old] })).toContain("Attempt 2 failed, last attempt");
  const requeued = {
    ...old,
    status: "SENT",
    sent_at: at(20),
    attempts: [attempt(3, 19, "sent"), ...old.attempts],
    actions: [action("notification.requeue", 18)],
  };
  expect(titles({ notifications: [requeued] }).slice(6)).toEqual([
    "Attempt 1 failed, retried later",
    "Attempt 2 failed, last attempt",
    "Moved to the dead-letter queue",
    "Confirmed: notification stored it",
    "Notification requeued",
    "Attempt 3 delivered",
    "Delivered to the inbox",
    "(Read by the user)",
  ]);
});

describe("missing steps are listed after the completed ones", () => {
  test.each([
    [
      "it is pending",
      { event: { ...unpublished, status: "PENDING" } },
      ["Published", "Consumed by notification", "Confirmed: notification stored it"],
      "In progress",
    ],
    [
      "it failed in the outbox",
      { event: { ...unpublished, status: "FAILED", attempt_count: 10, last_error: "no" } },
      ["Not published: needs attention", "Consumed by notification", "Confirmed: notification stored it"],
      "Needs attention",
    ],
    [
      "it is retried",
      { event: { ...unpublished, status: "PENDING", attempt_count: 2 } },
      ["Published", "Consumed by notification", "Confirmed: notification stored it"],
      "Retrying",
    ],
    [
      "its delivery is retried",
      { notifications: [{ ...dead, status: "PENDING", dead: null, next_retry_at: at(50) }] },
      ["Delivered to the inbox"],
      "Retrying",
    ],
    [
      "its message could not be read",
      { event: { ...event, confirmed_at: null }, letters: [letter] },
      ["Not consumed: needs attention", "Confirmed: notification stored it"],
      "Needs attention",
    ],
    [
      "an untrusted message with its id arrived, and it was delivered",
      { notifications: [sent], letters: [{ ...letter, untrusted: "forged" as const }] },
      ["Read by the user"],
      "Delivered",
    ],
    [
      "notification does not respond",
      { event: { ...event, confirmed_at: null }, unasked: ["notification" as const] },
      ["Consumed by notification", "Confirmed: notification stored it"],
      "Partly known",
    ],
    ["it is delivered", { notifications: [sent] }, ["Read by the user"], "Delivered"],
    ["it is stale and delivered", { notifications: [{ ...sent, stale: true }] }, ["Read by the user"], "Delivered, stale"],
    ["only the audit log has it", { event: gone }, [], "Only in the audit log"],
    ["it was discarded from the outbox", { event: { ...gone, actions: [action("outbox.discard", 9)] } }, [], "Discarded"],
    ["notification lost it with its database", { event: { ...event, missing_at: at(9) } }, [], "Missing: needs a resend"],
    ["its notification was deleted after retention", {}, [], "Consumed, deleted after retention"],
  ] as [string, Partial<Chain>, string[], string][])("%s", (_, given, missing, outcome) => {
    const steps = stepsOf(chain(given));
    expect(steps.filter(step => step.at === null).map(step => step.title)).toEqual(missing);
    expect(outcomeOf(chain(given)).word).toBe(outcome);
  });
});

test("only steps with a possible action have a row", () => {
  const rowOf = (given: Partial<Chain>) => stepsOf(chain(given)).flatMap(({ row }) => row ?? []);
  expect(rowOf({ event: { ...unpublished, status: "FAILED" } })).toEqual([
    { kind: "outbox", id: "e1", status: "FAILED", attempts: unpublished.attempt_count ?? 0 },
  ]);
  expect(rowOf({ notifications: [sent] })).toEqual([]);
});

test("a chain without its event is built from the data of notification", () => {
  const steps = stepsOf(chain({ event: undefined, notifications: [sent] }));
  expect(steps.map(step => step.title)).toContain("Delivered to the inbox");
  expect(outcomeOf(chain({ event: undefined, notifications: [sent] })).word).toBe("Delivered");
});

test("an event deleted after retention is not shown as in progress, nor a discarded one as published", () => {
  const textOf = (one: JourneyEvent) => stepsOf(chain({ event: one })).find(step => step.key === "outbox")?.text;
  expect(textOf(gone)).toContain("published and confirmed, then deleted from the outbox");
  expect(textOf({ ...gone, actions: [action("outbox.discard", 9)] })).toBe("EntitlementGranted");
});

test("operator actions are described in words, including whether they were in bulk", () => {
  const actions = [action("outbox.requeue", 20, { operation_id: "o1" }), action("outbox.paint", 21)];
  expect(titles({ event: { ...event, actions } }).slice(-2)).toEqual(["Event requeued in a bulk operation", "Operator: outbox.paint"]);
});

test("as Markdown, each step is one line with its gap, even with special characters in an error", () => {
  const given = chain({ event: { ...event, published_at: at(4) }, notifications: [dead] });
  const text = markdownOf(given, stepsOf(given), "http://x/admin/journey/e1");
  expect(text).toStartWith("### Event e1: needs attention\n");
  expect(text).toContain("| 2026-01-01 12:00:03.000 UTC | ≈ 0 | Consumed by notification; from #7 of the stream |  |");
  expect(text).toContain("| 2026-01-01 12:00:05.000 UTC | +1.0 s | Attempt 2 failed, last attempt; took 10 ms; error: no \\| way | w |");
  expect(text.split("\n").filter(line => line.startsWith("| 2026"))).toHaveLength(10);
  expect(text).toContain("|  |  | Not delivered: needs attention |  |");
});

test("as Markdown, no id, error or name can break out of its cell", () => {
  const hostile = "x`](http://evil) | [a](b) <b>\n## c";
  const given = chain({
    event: { ...event, user_id: hostile, trace_id: hostile, audit: { ...event.audit!, client_id: hostile }, last_error: hostile },
    notifications: [{ ...dead, last_error: hostile }],
  });
  const text = markdownOf(given, stepsOf(given), "http://x/admin/journey/e1");
  const lines = text.split("\n");
  expect(lines.filter(line => line.startsWith("#"))).toHaveLength(1);
  expect(lines[2]).toBe(
    "User `` x`](http://evil) | [a](b) <b> ## c ``, trace `` x`](http://evil) | [a](b) <b> ## c ``. http://x/admin/journey/e1",
  );
  const rows = lines.filter(line => line.startsWith("| "));
  expect(rows.some(line => line.includes("x\\`"))).toBe(true);
  for (const row of rows) {
    const bare = row.replace(/\\./g, "");
    expect([row, bare.split("|").length]).toEqual([row, 6]);
    expect(bare).not.toMatch(/[`[\]<>]/);
  }
});

describe("a match notice", () => {
  const payload = { match_id: "m1", mode: "casual", peer_user_ids: ["bob"], joined_at: at(1), occurred_at: at(2) };
  const notice: JourneyNotification = { ...sent, type: "MatchFound", payload };
  const told = (notifications: readonly JourneyNotification[]) => stepsOf({ eventId: "e1", event: undefined, notifications });

  test("has its own beginning, and says whom it is about", () => {
    const steps = told([notice]);
    expect(steps.map(({ title, at: time }) => (time ? title : `(${title})`))).toEqual([
      "Joined the queue casual",
      "Paired with bob",
      "Consumed by notification",
      "Notification created for alice",
      "Attempt 1 delivered",
      "Delivered to the inbox",
      "(Read by the user)",
    ]);
    expect(steps[3]?.text).toBe("Match in casual against bob. by stream, n1");
    expect(outcomeOf({ eventId: "e1", event: undefined, notifications: [notice] }).word).toBe("Delivered");
  });

  test("with a masked payload begins where notification consumed it", () => {
    const masked = { match_id: "•••", mode: "•••", peer_user_ids: ["•••"], joined_at: "•••", occurred_at: "•••" };
    expect(told([{ ...notice, payload: masked }])[0]?.title).toBe("Consumed by notification");
  });
});
