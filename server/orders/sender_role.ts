import type { KernelSettings } from "../kernel/config/settings.ts";
import { rolePauses } from "../kernel/life/pauses.ts";
import { type RoleContext, roleChannel, subscribeRole } from "../kernel/life/role.ts";
import { parallel, type Service, sequence, service } from "../kernel/life/service.ts";
import { bulkLoop, operationStarted } from "../kernel/operator/bulk.ts";
import { createFlow, flowKeeper } from "../kernel/operator/flow.ts";
import { workerReporter } from "../kernel/operator/worker_reports.ts";
import { openStore } from "../kernel/postgres/store.ts";
import { adapterOf } from "./broker/adapters.ts";
import { createGate } from "./broker/gate.ts";
import type { OrdersSettings } from "./config.ts";
import { orderRows } from "./operator/row_kind.ts";
import { giveUp } from "./outbox/give_up.ts";
import { sendClaim } from "./outbox/send_claim.ts";
import { sender } from "./outbox/sender.ts";
import { settledCounters } from "./outbox_metrics.ts";
import type { OrdersSql } from "./sql.gen.ts";

/** `orders:sender`: sends the orders that are due. */
export function senderRole(kernel: KernelSettings, settings: OrdersSettings, context: RoleContext): Service {
  const { worker, log, metrics, tracer, health, faults } = context;
  const { sender: tuning } = settings;
  const store = openStore<OrdersSql>({
    system: "orders",
    url: settings.appUrl,
    name: worker,
    connections: tuning.lanes + 4,
    deadline: kernel.database.deadline,
    // Durable, also the claims: a claim that is lost with the server would let another sender send the order again without a question.
    log,
    health,
    metrics,
  });
  const { orders } = store.statements;
  const { lease } = tuning;
  // A send starts only with twice its deadline left. So a question and a send after it always fit into the lease.
  const [sendWithin, askWithin] = [Math.min(settings.broker.sendWithin, lease / 4), Math.min(settings.broker.askWithin, lease / 4)];
  const adapter = adapterOf({ ...settings.broker, sendWithin, askWithin }, tracer);
  const gate = createGate({ adapter, log, health, metrics });
  const api = roleChannel("orders:api");
  const closing = service({ start: async () => {}, stop: async () => api.close() });
  const { sent, aborted } = settledCounters(metrics);
  const flow = createFlow(metrics);
  const keeper = flowKeeper({ flow, add: store.statements.flow.add, every: kernel.flow.every, log, metrics });
  const deliver = sendClaim({
    orders,
    adapter,
    gate,
    faults,
    flow,
    worker,
    sendWithin,
    askWithin,
    policy: tuning,
    sent,
    aborted,
    settled: api.wake,
    log,
    metrics,
    tracer,
  });
  const { role } = context;
  const pauses = rolePauses({ roles: [role], read: store.statements.pauses.list, context });
  const isPaused = () => pauses.isPaused(role);
  const sending = sender({ context, tuning, orders, adapter, gate, deliver, isPaused, liveness: kernel.liveness });
  pauses.onChange(sending.wake);
  const givingUp = giveUp({ context, orders, gate, isPaused, adapter: adapter.name, aborted, settled: api.wake, ...tuning });
  const bulk = bulkLoop({ kind: orderRows.name, sql: store.statements, ...kernel.bulk, requeued: sending.wake, log, metrics });
  const reporting = workerReporter({ context, every: kernel.reportEvery, report: store.statements.workers.report });
  return sequence([
    store,
    reporting,
    keeper,
    closing,
    pauses,
    subscribeRole(context, sending.wake, { [operationStarted]: bulk.wake }),
    parallel([sending, givingUp, bulk]),
  ]);
}
