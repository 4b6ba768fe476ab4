import { createCircuit } from "../../kernel/http/circuit.ts";
import type { Health } from "../../kernel/life/health.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { repeatsOf } from "../../kernel/telemetry/repeats.ts";
import type { Adapter, AskResult, SendResult } from "./adapter.ts";

export interface GateOptions {
  readonly adapter: Pick<Adapter, "name" | "probe">;
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
  readonly now?: () => number;
}

const part = "broker";
// A broker that asks for more than this is asked again earlier. The order itself waits as long as the broker said.
const longestPause = 60;

/**
 * Whether orders may be sent: not while the circuit is open or a probe decides about it, and not while the broker's Retry-After lasts. Until then
 * nothing is claimed and no attempt is charged. All of them end by themselves.
 */
export function createGate({ adapter, log, health, metrics, now = performance.now.bind(performance) }: GateOptions) {
  const open = metrics.gauge("orders_circuit_open", "1 while the broker does not answer as it should and nothing is sent.");
  let openSince: number | undefined;
  let seen = "the broker does not answer";
  let probing: Promise<boolean> | undefined;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  open.set(0);
  health.fine(part);

  const report = () => health.trouble(part, `${seen}; orders wait`);

  async function runProbe(): Promise<boolean> {
    const trouble = await adapter.probe();
    if (trouble === undefined) return true;
    seen = trouble;
    if (circuit.isOpen()) report();
    return false;
  }

  const circuit = createCircuit({
    probe() {
      const running = runProbe().finally(() => {
        probing = undefined;
      });
      probing = running;
      return running;
    },
    now,
    changed(isOpen) {
      openSince = isOpen ? now() : undefined;
      open.set(isOpen ? 1 : 0);
      if (isOpen) report();
      else health.fine(part);
      const repeats = repeatsOf(log);
      const says = `The broker of orders (${adapter.name}) does not answer as it should: ${seen}. Orders are accepted and wait; a probe a second finds out when it works. Check BROKER_URL and BROKER_TOKEN, and that the broker can be reached from here`;
      if (isOpen) repeats.write("warn", { adapter: adapter.name, seen, says }, "order.circuit_opened");
      else repeats.over("order.circuit_opened", undefined, { adapter: adapter.name }, "order.circuit_closed");
    },
  });
  const isPaused = () => now() < pausedUntil;

  return {
    isPaused,
    /** Whether no send may start now. Calls nothing. */
    blocks: () => circuit.isOpen() || probing !== undefined || isPaused(),
    /** Whether orders may be claimed. Waits for a probe that may open the circuit, and probes the broker if it is open and a probe is due. */
    async allows(): Promise<boolean> {
      if (!circuit.isOpen()) await probing?.catch(() => {});
      return !isPaused() && (await circuit.refuses()) === undefined;
    },
    /** Milliseconds since the circuit opened; undefined while it is closed. */
    awayFor: () => (openSince === undefined ? undefined : now() - openSince),
    /** Every result of a call. */
    saw(result: SendResult | AskResult): void {
      if (isSilent(result)) circuit.failed(result.code === "TIMEOUT" ? "timeout" : "bad gateway");
      else circuit.worked();
      // A rejection concerns its own order, and an unknown outcome counts as a failed call.
      if ((result.outcome === "retryable" || result.outcome === "no_answer") && result.retryAfter !== undefined)
        pausedUntil = Math.max(pausedUntil, now() + Math.min(result.retryAfter, longestPause) * 1000);
    },
  };
}
export type Gate = ReturnType<typeof createGate>;

/** Whether the broker gave no sensible answer. A refusal of one order is an answer. */
function isSilent(result: SendResult | AskResult): result is Extract<SendResult | AskResult, { code: string }> {
  if (result.outcome === "unknown" || result.outcome === "no_answer") return true;
  return result.outcome === "retryable" && result.retryAfter === undefined;
}
