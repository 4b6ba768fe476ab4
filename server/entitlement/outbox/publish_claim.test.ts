import { expect, test } from "bun:test";
import { fixedLease } from "../../kernel/delivery/lease.ts";
import { faults } from "../../kernel/life/fault.ts";
import type { Publishing } from "../../kernel/nats/publisher.ts";
import { createFlow } from "../../kernel/operator/flow.ts";
import { silentLog } from "../../kernel/telemetry/log.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import type { OutboxClaimRow } from "../sql.gen.ts";
import { publishClaim } from "./publish_claim.ts";

const rowOf = (pair: string, version: number): OutboxClaimRow => ({
  event_id: `${pair}${version}`,
  event_type: "EntitlementGranted",
  aggregate_key: pair,
  aggregate_version: version,
  payload: {},
  traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
  attempt_count: 0,
  publish_generation: 0,
});

/** Publishes these rows. `answers`: what the stream answers after a while; `refusals`: events that cannot be sent at all. */
async function published(rows: OutboxClaimRow[], answers: Record<string, Publishing> = {}, refusals: Record<string, Publishing> = {}) {
  const seen = { sent: [] as string[], answered: 0, finalized: [] as string[], retried: [] as string[], released: [] as string[] };
  const metrics = createMetrics();
  const settled = (list: string[], ids: readonly string[]) => {
    list.push(...ids);
    return ids.map(event_id => ({ event_id, status: "PENDING", attempt_count: 1 }));
  };
  const deliver = publishClaim({
    outbox: {
      finalize: async ({ event_id }) => settled(seen.finalized, event_id),
      retry: async ({ event_id }) => settled(seen.retried, event_id),
      release: async ({ event_id }) => settled(seen.released, event_id),
    },
    publish({ event_id }) {
      if (refusals[event_id]) return refusals[event_id];
      expect(seen.answered).toBe(0); // all are sent before the first answer
      seen.sent.push(event_id);
      return new Promise(resolve => {
        setImmediate(() => {
          seen.answered++;
          resolve(answers[event_id] ?? { outcome: "published", seq: seen.answered, duplicate: false });
        });
      });
    },
    checks: { published: () => {} },
    breaker: { isOpen: () => false },
    faults: faults(),
    flow: createFlow(metrics),
    worker: "w",
    lease: 30_000,
    publishWithin: 5000,
    maxAttempts: 10,
    log: silentLog,
    metrics,
  });
  await deliver({ ...fixedLease(30_000), rows }, new AbortController().signal);
  return seen;
}

const rows = [rowOf("a", 1), rowOf("b", 1), rowOf("a", 2), rowOf("a", 3)];

test("a run is sent in version order without waiting for an answer", async () => {
  const seen = await published(rows);
  expect(seen).toMatchObject({ sent: ["a1", "b1", "a2", "a3"], finalized: ["a1", "b1", "a2", "a3"], retried: [], released: [] });
});

test("behind an event that cannot be sent the rest of its run is not sent, and costs no attempt", async () => {
  const seen = await published(rows, {}, { a1: { outcome: "unencodable", error: "no event" } });
  expect(seen).toMatchObject({ sent: ["b1"], finalized: ["b1"], retried: ["a1"], released: ["a2", "a3"] });
});

test("behind an event that the stream refused, stored ones are published and the others cost no attempt", async () => {
  const refused: Publishing = { outcome: "failed", error: "too large" };
  const seen = await published(rows, { a1: refused, a2: { outcome: "unanswered", error: "no answer" } });
  expect(seen).toMatchObject({ finalized: ["b1", "a3"], retried: ["a1"], released: ["a2"] });
});
