// Three drills with faster rules on one stack, beside the other tests: they wait more than they work.
import { afterAll, beforeAll, expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import { drills } from "./drills.ts";
import { runDrill } from "./run.ts";
import { openStage, type Stage } from "./stage.ts";
import { findMissing } from "./whole.ts";

const within = 10 * 60_000; // a first start may have to download servers, and the machine is busy
const chosen = ["broker-away", "notification-dead", "nats-away"].map(id => [id, drills[id]!] as const);

let stage: Stage;
beforeAll(async () => {
  stage = await openStage({ factor: 12, settings: Object.assign({}, ...chosen.map(([, { settings }]) => settings)) });
}, within);
afterAll(() => stage?.close());

test("a drill whose failure has no effect ends with an error that says what it waited for and what it found", async () => {
  const drill = { ...drills["broker-away"]!, cause() {} };
  await until("it is scraped", 60_000, async () => (await stage.query('min(up{job="kenri"})'))[0]?.value === 1, 500);
  await expect(runDrill(stage, drill, { within: 2000 })).rejects.toThrow(
    /^not within 2 s: the metric moves: max.*\. Found: max\(kenri_orders_circuit_open\) is 0; alerts: /,
  );
});

test.each(chosen)(
  "%s: the metric moves, the alert fires, the repair of the runbook ends it, and every answer has its effect once",
  async (_, drill) => {
    const { moved, fired } = await runDrill(stage, drill);
    expect(fired).toBeGreaterThanOrEqual(moved);
  },
  within,
);

test("a grant without its notification and an order without its outcome are found", async () => {
  stage.answered.grants.add("nobody");
  stage.answered.orders.add(crypto.randomUUID());
  expect(await findMissing(stage, {})).toEqual(["nobody was granted an item and has 0 notifications", "1 accepted orders are lost"]);
});
