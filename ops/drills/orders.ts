import type { Drills } from "./drill.ts";
import { restartOften } from "./processes.ts";
import type { Stage } from "./stage.ts";
import { order } from "./users.ts";

/** The paper broker misbehaves. */
async function brokerFaults(stage: Stage, faults: object): Promise<void> {
  const answer = await fetch(`${stage.servers.broker.url}/faults`, { method: "PUT", body: JSON.stringify(faults) });
  if (!answer.ok) throw new Error(`the broker refuses its faults: ${answer.status} ${await answer.text()}`);
}

export const orderDrills: Drills = {
  "broker-away": {
    what: "the broker hangs; orders are accepted and wait",
    cause: stage => stage.servers.broker.pause(),
    traffic: order,
    moves: "max(kenri_orders_circuit_open)",
    alert: "KenriBrokerAway",
    repair: stage => stage.servers.broker.resume(),
  },
  "broker-gone": {
    what: "the broker is away for longer than ORDERS_GIVE_UP_AFTER; waiting orders are aborted",
    settings: { ORDERS_GIVE_UP_AFTER: "5s" },
    cause: stage => stage.servers.broker.halt(),
    traffic: order,
    moves: 'sum(kenri_outbox_aborted_total{code="BROKER_UNAVAILABLE"})',
    alert: "KenriOrdersAborted",
    labels: { code: "BROKER_UNAVAILABLE" },
    repair: stage => stage.servers.broker.start(),
    leaves: { abortedOrders: true },
  },
  "outcome-unknown": {
    what: "the broker executes and does not answer; it is asked before any second send",
    cause: stage => brokerFaults(stage, { delay_ms: 20_000, asks_too: true }),
    traffic: order,
    moves: "max(kenri_orders_unknown_outcomes)",
    alert: "KenriOrdersUnknown",
    repair: stage => brokerFaults(stage, {}),
  },
  "sender-dies": {
    what: "the process of orders with its sender is killed five times",
    apart: ["orders"],
    cause: stage => restartOften(stage, "orders", "orders:sender"),
    traffic: order,
    moves: 'max(changes(kenri_start_time_seconds{role="orders:sender"}[1m]))',
    alert: "KenriProcessRestarts",
    labels: { system: "orders", role: "orders:sender" },
    repair() {}, // it is not killed any more
  },
};
