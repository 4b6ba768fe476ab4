import { expect, test } from "bun:test";
import type { SourceLag } from "../../../../server/kernel/operator/health_routes.ts";
import { growingIn, isGrowing, type Samples, unknownLags, unreadText, withLags } from "./lag.ts";

const every5s = (...pendings: number[]) => pendings.map((pending, index) => ({ at: index * 5000, pending }));

test.each([
  ["nothing is known", every5s(), false],
  ["one answer tells no trend", every5s(5000), false],
  ["it grew within seconds only", every5s(1000, 2000), false],
  ["it grows", every5s(1000, 1500, 2000, 2500), true],
  ["it is worked off", every5s(5000, 4000, 3000), false],
  ["it is high and stays", every5s(5000, 5000, 5000, 5000), false],
  ["it was higher a moment ago", every5s(1000, 9000, 2000, 3000), false],
])("%s", (_, samples, grows) => expect(isGrowing(samples)).toBe(grows));

const lagOf = (
  source: string,
  pending: number | null,
  state: SourceLag["state"] = pending === null ? "no_stream" : "reading",
): SourceLag => ({
  source,
  stream: `${source}-events`,
  state,
  pending,
  ack_pending: pending === null ? null : 0,
  redelivered: pending === null ? null : 0,
});

test("each source has its own trend, and the same response counts once", () => {
  let samples: Samples = new Map();
  for (const [index, pending] of [1000, 2000, 3000, 4000].entries())
    for (const _ of ["once", "again"])
      samples = withLags(
        samples,
        [lagOf("entitlement", 5000 - pending), lagOf("matchmaking", pending), lagOf("other", null)],
        index * 5000,
      );
  expect([...samples].map(([source, some]) => [source, some.length])).toEqual([
    ["entitlement", 4],
    ["matchmaking", 4],
  ]);
  expect(growingIn(samples)).toEqual(["matchmaking"]);
});

test("a lag without numbers says why; a stream without messages is not unknown", () => {
  const consumers = [lagOf("a", 3), lagOf("b", null, "no_stream"), lagOf("c", null, "no_consumer"), lagOf("d", null, "unknown")];
  expect(consumers.map(unreadText)).toEqual([
    undefined,
    "nothing was published yet",
    "unknown: nobody has read the stream yet",
    "unknown: the stream is unreachable",
  ]);
  const health = (state: "ok" | "trouble") => ({
    dependencies: [{ name: "broker", state, detail: null }],
    workers: [],
    processes: [],
    breakers: [],
    paused: [],
    consumers,
  });
  expect([unknownLags(health("ok")), unknownLags(health("trouble"))]).toEqual([["c", "d"], []]);
});
