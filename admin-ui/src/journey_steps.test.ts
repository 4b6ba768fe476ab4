import { expect, test } from "bun:test";
import type { JourneyEvent, JourneyNotification } from "./api.ts";
import { markdownOf } from "./journey_markdown.ts";
import { stepsOf } from "./journey_steps.ts";

const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 12, 0, second)).toISOString();

const event: JourneyEvent = {
  event_id: "e1",
  event_type: "EntitlementGranted",
  user_id: "alice",
  stock_keeping_unit: "sword",
  aggregate_version: 1,
  status: "PUBLISHED",
  attempt_count: 1,
  last_error: null,
  created_at: at(1),
  published_at: at(2),
  next_retry_at: null,
  confirmed_at: at(4),
  publish_generation: 1,
  stream_seq: 7,
  trace_id: "t1",
  audit: { at: at(1), client_id: "shop", status: "ACTIVE", version: 1, detail: {} },
  idempotency: { client_id: "shop", route: "POST /grants", idem_key: "order-1", response_code: 200, created_at: at(1), expires_at: at(59) },
  actions: [],
};

const notification: JourneyNotification = {
  notification_id: "n1",
  event_id: "e1",
  user_id: "alice",
  type: "EntitlementGranted",
  aggregate_version: 1,
  stale: false,
  channel: "stream",
  status: "FAILED",
  attempt_count: 1,
  last_error: "no | way",
  created_at: at(3),
  sent_at: null,
  next_retry_at: null,
  position: null,
  read_at: null,
  trace_id: "t1",
  dead: { failed_at: at(6), requeued_at: null, requeued_by: null },
  processed: { processed_at: at(3), stale: false, stream_seq: 7 },
  attempts: [{ number: 1, worker: "w", started_at: at(5), duration_ms: 10, outcome: "dead", error: "no | way" }],
  actions: [],
};

test("steps come in the order of time, and of cause where the time is the same", () => {
  const titles = stepsOf({ eventId: "e1", event, notifications: [notification] }).map(step => step.title);
  expect(titles).toEqual([
    "Request POST /grants answered 200",
    "Entitlement is active, version 1",
    "Event written to the outbox",
    "Published as #7",
    "Taken in by notification",
    "Notification for alice",
    "Confirmed: notification has it",
    "Attempt 1 failed, given up",
    "Put among the dead letters",
  ]);
});

test("what has not happened is said, after what has", () => {
  const waiting = { ...event, status: "PENDING", published_at: null, stream_seq: null, confirmed_at: null };
  const steps = stepsOf({ eventId: "e1", event: waiting, notifications: [] });
  expect(steps.filter(step => step.at === null).map(step => step.title)).toEqual([
    "Published",
    "Confirmed: notification has it",
    "Taken in by notification",
  ]);
});

test("a chain whose event was deleted already is told from what notification knows", () => {
  const steps = stepsOf({
    eventId: "e1",
    event: undefined,
    notifications: [{ ...notification, status: "SENT", sent_at: at(9), dead: null }],
  });
  expect(steps.at(-1)).toMatchObject({ title: "Read by the user", at: null });
});

test("an event that the outbox no longer keeps is not said to be on its way", () => {
  const gone = { ...event, status: null, attempt_count: null, publish_generation: null, published_at: null, confirmed_at: null };
  const steps = stepsOf({ eventId: "e1", event: gone, notifications: [notification] });
  expect(steps.filter(step => step.at === null)).toEqual([]);
  expect(steps.find(step => step.key === "outbox")?.text).toContain("published and confirmed since");
});

test("as Markdown, each step is one line with its gap, whatever an error holds", () => {
  const chain = { eventId: "e1", event, notifications: [notification] };
  const text = markdownOf(chain, stepsOf(chain), "http://x/admin/journey/e1");
  expect(text).toContain("| 2026-01-01 12:00:05.000 UTC | +1.0 s | Attempt 1 failed, given up; took 10 ms; error: no \\| way | w |");
  expect(text.split("\n").filter(line => line.startsWith("| 2026"))).toHaveLength(9);
});
