import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useLive } from "../../api/live.ts";
import type { RowDrawerProps } from "../../drawers.ts";
import { ActionList } from "../../parts/action_list.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Facts, Section, Verbatim } from "../../parts/facts.tsx";
import { Id } from "../../parts/id.tsx";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { endOf, orderWords } from "../../parts/order_words.ts";
import { Repair } from "../../parts/repair.tsx";
import { isWaiting, stateOf } from "../../parts/row_kinds.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { At } from "../../parts/time.tsx";
import { TraceId } from "../../parts/trace_id.tsx";
import { kindOf } from "../../systems.ts";
import { BrokerCalls } from "./broker_calls.tsx";
import { LedgerHistory } from "./ledger_history.tsx";
import { type OrderDetail, orderDetail } from "./queries.ts";
import { Resolution } from "./resolution.tsx";

const orders = kindOf("orders");

export function OrderDrawer({ id, close }: RowDrawerProps) {
  const { data: order, error, refetch } = useQuery({ ...orderDetail(id), ...useLive() });
  return (
    <Drawer title={order ? orderWords(order) : "Order"} head={<Id id={id} whole />} close={close}>
      {error && <ErrorNotice what="This order cannot be shown." error={error} retry={() => void refetch()} />}
      {!order && !error && <Skeleton rows={12} />}
      {order && <Details order={order} />}
    </Drawer>
  );
}

function Details({ order }: { order: OrderDetail }) {
  const { ledger } = order;
  const end = order.status === "aborted" ? endOf(order.last_error_code) : undefined;
  return (
    <>
      <Resolution id={order.order_id} status={order.status} isUnknown={order.outcome_unknown} />
      {end && <p className="mb-6 max-w-[80ch] text-soft">{end}</p>}
      {!order.outcome_unknown && (
        <Repair
          kind={orders}
          id={order.order_id}
          status={order.status}
          attempts={order.attempts}
          failedAt={order.settled_at}
          isEnded={end !== undefined}
        />
      )}
      <Section title="State">
        <Facts
          facts={[
            ["State", <StateMark key="state" state={stateOf(orders, { ...order, stale: false, unknown: order.outcome_unknown })} />],
            ["Ledger", ledger && [ledger.status, ledger.reason_code].filter(Boolean).join(", ")],
            ["Sends", order.attempts],
            ["Accepted", <At key="accepted" at={order.created_at} />],
            ...(order.failed_at ? [["Last failure", <At key="failed" at={order.failed_at} />] as const] : []),
            ...(isWaiting(orders, order)
              ? [[order.outcome_unknown ? "Next question" : "Next attempt", <At key="next" at={order.next_attempt_at} />] as const]
              : []),
            ["Settled", <At key="settled" at={order.settled_at} />],
            ["Expires", order.expires_at ? <At key="expires" at={order.expires_at} /> : "never"],
            ...(order.locked_by ? [["Leased by", <Lease key="lease" by={order.locked_by} until={order.lease_until} />] as const] : []),
            ["Broker's order", order.broker_order_id ? <Id key="broker" id={order.broker_order_id} whole /> : null],
          ]}
        />
      </Section>
      {order.last_error_code && (
        <Section title="Last error">
          <Verbatim text={[order.last_error_code, order.last_error_msg].filter(Boolean).join(": ")} tone="text-failed" />
        </Section>
      )}
      <Section title="Calls to the broker, newest first">
        <BrokerCalls calls={order.calls} />
      </Section>
      <Section title="History of the ledger entry, newest first">
        <LedgerHistory history={order.history} />
      </Section>
      {ledger?.broker_answer != null && (
        <Section title="Broker's answer">
          <Verbatim text={JSON.stringify(ledger.broker_answer, null, 2)} />
        </Section>
      )}
      <Section title="About">
        <Facts
          facts={[
            ["Client", <Id key="client" id={order.client_id} whole />],
            ["Key", <Id key="key" id={order.idempotency_key} whole />],
            // A requeued order has a new one.
            ...(order.broker_key === order.idempotency_key
              ? []
              : [["Key at the broker", <Id key="broker key" id={order.broker_key} whole />] as const]),
            ...(order.client_tag
              ? [
                  [
                    "Client's tag",
                    <span key="tag" className="break-words">
                      {order.client_tag}
                    </span>,
                  ] as const,
                ]
              : []),
            ["Trace", <TraceId key="trace" id={order.trace_id} />],
            [
              "Journey",
              <Link key="journey" to="/journey/$id" params={{ id: order.order_id }} className="link">
                Full journey of this order
              </Link>,
            ],
            [
              "Client's orders",
              <Link key="orders" to="/$kind" params={{ kind: "orders" }} search={{ user_id: order.client_id }} className="link">
                Orders of this client
              </Link>,
            ],
          ]}
        />
      </Section>
      <Section title="Request">
        <Verbatim text={JSON.stringify(order.order_request_json, null, 2)} />
      </Section>
      {order.actions.length > 0 && (
        <Section title="Operator actions">
          <ActionList actions={order.actions} />
        </Section>
      )}
    </>
  );
}

const Lease = ({ by, until }: { by: string; until: string | null }) => (
  <>
    <span className="mono">{by}</span> until <At at={until} />
  </>
);
