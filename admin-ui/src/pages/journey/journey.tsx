import { useQuery } from "@tanstack/react-query";
import { Link, useParams } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useLive } from "../../api/live.ts";
import { Icon } from "../../parts/icons.tsx";
import { Id, useCopied } from "../../parts/id.tsx";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Page } from "../../parts/page.tsx";
import type { State } from "../../parts/row_kinds.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import type { Step } from "../../parts/step.ts";
import { Line } from "../../parts/timeline.tsx";
import { TraceId } from "../../parts/trace_id.tsx";
import { journey } from "./chain.ts";
import { ChainLinks } from "./chain_links.tsx";
import { markdownOf, orderMarkdownOf } from "./markdown.ts";
import { orderOutcomeOf, orderStepsOf } from "./order_steps.ts";
import { outcomeOf } from "./outcome.ts";
import type { JourneyOrder } from "./queries.ts";
import { type Chain, stepsOf } from "./steps.ts";
import { UnknownId } from "./unknown_id.tsx";

export function JourneyStart() {
  return (
    <Page title="Journey" about="All steps of an event, from the request to the inbox, or of an order, from the client to the broker">
      <div className="panel">
        <EmptyState title="Paste any id into the search above">
          The id of an event, notification, trace, purchase or order, or a request key, leads to the full chain. A user id leads to the
          user's entitlements and notifications.
        </EmptyState>
      </div>
    </Page>
  );
}

export function Journey() {
  const { id } = useParams({ from: "/journey/$id" });
  const { data, error, isPending, refetch } = useQuery({ ...journey(id), ...useLive() });
  return (
    <Page
      title="Journey"
      about={
        <span className="flex flex-wrap items-center gap-x-2">
          <Id id={id} whole />
          {data?.matchedBy && <span>is {nameOf(data.matchedBy)}</span>}
        </span>
      }
    >
      {error && (
        <div className="panel overflow-hidden">
          <ErrorNotice what="The journey cannot be shown." error={error} retry={() => void refetch()} />
        </div>
      )}
      {data?.troubles.map(trouble => (
        <div key={trouble} className="panel overflow-hidden">
          <ErrorNotice what="Part of the journey cannot be loaded." error={trouble} retry={() => void refetch()} />
        </div>
      ))}
      {isPending && (
        <div className="panel">
          <Skeleton rows={10} />
        </div>
      )}
      {data?.chains.length === 0 && data.orders.length === 0 && data.troubles.length === 0 && <UnknownId id={id} />}
      {data && data.orders.length > 1 && (
        <p className="text-soft">{data.orders.length} orders have this key: each client has its own keys.</p>
      )}
      {data?.orders.map(order => (
        <OrderPanel key={order.order_id} order={order} />
      ))}
      {data?.chains.map(chain => (
        <ChainPanel key={chain.eventId} chain={chain} />
      ))}
    </Page>
  );
}

function nameOf(matchedBy: string): string {
  const words = matchedBy.replaceAll("_", " ").toLowerCase();
  return `${/^[aeio]/.test(words) ? "an" : "a"} ${words}`;
}

const addressOf = (id: string) => `${location.origin}/admin/journey/${id}`;

function ChainPanel({ chain }: { chain: Chain }) {
  const { eventId } = chain;
  const steps = stepsOf(chain);
  return (
    <JourneyPanel
      what="Event"
      id={eventId}
      state={outcomeOf(chain)}
      traceId={chain.event?.trace_id ?? chain.notifications[0]?.trace_id}
      links={<ChainLinks chain={chain} />}
      steps={steps}
      markdown={() => markdownOf(chain, steps, addressOf(eventId))}
    />
  );
}

function OrderPanel({ order }: { order: JourneyOrder }) {
  const { order_id, client_id } = order;
  const steps = orderStepsOf(order);
  return (
    <JourneyPanel
      what="Order"
      id={order_id}
      state={orderOutcomeOf(order)}
      traceId={order.outbox?.trace_id}
      links={
        <p className="flex flex-wrap gap-x-4 gap-y-1">
          {order.outbox && (
            <Link to="/$kind/$id" params={{ kind: "orders", id: order_id }} className="link">
              Order
            </Link>
          )}
          <Link to="/$kind" params={{ kind: "orders" }} search={{ user_id: client_id }} className="link max-w-64 truncate">
            Orders of {client_id}
          </Link>
        </p>
      }
      steps={steps}
      markdown={() => orderMarkdownOf(order, steps, addressOf(order_id))}
    />
  );
}

interface JourneyPanelProps {
  readonly what: "Event" | "Order";
  readonly id: string;
  readonly state: Pick<State, "tone" | "word">;
  /** Undefined if it is not stored any more. */
  readonly traceId: string | undefined;
  readonly links: ReactNode;
  readonly steps: readonly Step[];
  readonly markdown: () => string;
}

function JourneyPanel({ what, id, state, traceId, links, steps, markdown }: JourneyPanelProps) {
  const [isCopied, copy] = useCopied();
  return (
    <section className="panel min-w-0" aria-label={`${what} ${id}`}>
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b px-4 py-3">
        <h2 className="min-w-0 font-semibold">
          {what} <Id id={id} whole />
        </h2>
        <StateMark state={state} />
        {traceId && (
          <p className="flex min-w-0 flex-wrap items-center gap-x-1">
            <span className="text-soft">Trace</span> <TraceId id={traceId} />
          </p>
        )}
        {links}
        <button type="button" className="button ml-auto" onClick={() => copy(markdown())}>
          <Icon name={isCopied ? "check" : "copy"} />
          <span role="status">{isCopied ? "Copied as Markdown" : "Copy as Markdown"}</span>
        </button>
      </header>
      <Line steps={steps} />
    </section>
  );
}
