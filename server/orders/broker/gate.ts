import { createCircuit } from "../../kernel/http/circuit.ts";
import type { Health } from "../../kernel/life/health.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
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
 * Whether orders may be sent: not while the circuit is open, and not while the broker's Retry-After lasts. Until then nothing is claimed
 * and no attempt is charged. Both end by themselves.
 */
export function createGate({ adapter, log, health, metrics, now = performance.now.bind(performance) }: GateOptions) {
  const open = metrics.gauge("orders_circuit_open", "1 while the broker does not answer and nothing is sent.");
  let openSince: number | undefined;
  let pausedUntil = Number.NEGATIVE_INFINITY;
  open.set(0);
  health.fine(part);

  const circuit = createCircuit({
    probe: adapter.probe,
    now,
    changed(isOpen) {
      openSince = isOpen ? now() : undefined;
      open.set(isOpen ? 1 : 0);
      if (isOpen) health.trouble(part, "the broker does not answer; orders wait");
      else health.fine(part);
      log[isOpen ? "warn" : "info"]({ adapter: adapter.name }, isOpen ? "order.circuit_opened" : "order.circuit_closed");
    },
  });
  const isPaused = () => now() < pausedUntil;

  return {
    isPaused,
    /** Whether no send may start now. Calls nothing. */
    blocks: () => circuit.isOpen() || isPaused(),
    /** Whether orders may be claimed. Probes the broker if the circuit is open and a probe is due. */
    async allows(): Promise<boolean> {
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
