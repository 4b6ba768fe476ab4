import { afterAll, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { createHealth } from "../../kernel/life/health.ts";
import { silentLog } from "../../kernel/telemetry/log.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { createGate } from "./gate.ts";
import { paperAdapter } from "./paper_adapter.ts";

const closing: (() => unknown)[] = [];
afterAll(() => Promise.all(closing.map(close => close())));

const tolerance = 5;
const lanes = 4;
const token = "the token of the broker";
const never = new AbortController().signal;
const filled = { broker_order_id: "p-1", state: "filled", quantity: "1" };

/** A broker whose token can be changed, and that can be behind a page. Lanes send to it through the gate, as a sender does. */
function scene() {
  const state = { token, isBehindPage: false, sends: 0, executed: 0, refusedClaims: 0 };
  const broker = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(request) {
      if (request.method === "POST") state.sends++;
      if (state.isBehindPage) return new Response("<html>maintenance</html>", { headers: { "content-type": "text/html" } });
      if (request.headers.get("authorization") !== `Bearer ${state.token}`)
        return Response.json({ reason_code: "UNAUTHORIZED" }, { status: 401 });
      if (request.method === "GET") return Response.json({ reason_code: "UNKNOWN_ORDER" }, { status: 404 });
      state.executed++;
      return Response.json(filled, { status: 201 });
    },
  });
  const health = createHealth();
  const adapter = paperAdapter({ url: broker.url.href, token, sendWithin: 5000, askWithin: 5000 });
  const gate = createGate({ adapter, log: silentLog, health, metrics: createMetrics() });
  let isOver = false;
  async function lane(): Promise<void> {
    while (!isOver) {
      if ((await gate.allows()) && !gate.blocks())
        gate.saw(await adapter.send({ key: "client:key", symbol: "ACME", side: "BUY", quantity: "1", order_type: "MARKET" }, never));
      else {
        state.refusedClaims++;
        await Bun.sleep(5);
      }
    }
  }
  const working = Promise.all(Array.from({ length: lanes }, lane));
  closing.push(async () => {
    isOver = true;
    await working;
    await broker.stop(true);
  });
  return { state, health };
}

test.each([
  ["the token is wrong", { token: "another token" }, "the broker refuses the token (401): check BROKER_TOKEN; orders wait"],
  ["a page is in front of the broker", { isBehindPage: true }, "the broker answers 200 without a readable body; orders wait"],
])("%s: few attempts are charged, orders wait, and work resumes by itself", async (_, broken, says) => {
  const { state, health } = scene();
  await until("orders are executed", 10_000, () => state.executed > 20);
  Object.assign(state, broken);
  const before = state.sends;
  await until("the circuit is open", 10_000, () => health.troubles().broker === says);
  const refused = state.refusedClaims;
  await until("many claims were refused", 10_000, () => state.refusedClaims > refused + 200);
  expect(state.sends - before).toBeLessThanOrEqual(tolerance + lanes);
  const executed = state.executed;
  Object.assign(state, { token, isBehindPage: false });
  await until("orders are executed again", 10_000, () => state.executed > executed + 20);
  expect(health.troubles()).toEqual({});
});
