import type { OrdersUnknownRow as UnknownOrder } from "../../../../server/orders/sql.gen.ts";
import type { Count } from "../../api/answers.ts";
import { useUnknownCount, useUnknownList } from "../../api/unknown_orders.ts";
import type { AboveListProps } from "../../drawers.ts";
import { count, number } from "../../parts/format.ts";
import { Icon } from "../../parts/icons.tsx";
import { useIsNarrow } from "../../parts/narrow.ts";
import { ErrorNotice } from "../../parts/notices.tsx";
import { orderWords } from "../../parts/order_words.ts";
import { Ago, useNow } from "../../parts/time.tsx";

/** The server's count. It may be a moment older than the list, or missing: then the listed orders are counted. */
const countOf = (counted: Count | undefined, listed: Count): Count => (counted && counted.count >= listed.count ? counted : listed);

/** The orders with an unknown outcome, oldest first. Nothing is shown if there are none. */
export function UnknownOutcomes({ open }: AboveListProps) {
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useUnknownList();
  const counted = useUnknownCount();
  const isNarrow = useIsNarrow();
  if (error && !data)
    return (
      <div className="panel overflow-hidden">
        <ErrorNotice what="Unknown outcomes cannot be listed." error={error} retry={() => void refetch()} />
      </div>
    );
  const orders = data?.pages.flatMap(page => page.orders) ?? [];
  const [oldest] = orders;
  if (!oldest) return null;
  const many = countOf(counted.data, { count: orders.length, more: hasNextPage });
  const one = many.count === 1 && !many.more;
  return (
    <section className="panel min-w-0 overflow-hidden !border-stale" aria-label="Unknown outcomes">
      <header className="flex flex-wrap items-center gap-x-4 gap-y-1 border-b px-4 py-2.5">
        <h2 className="flex items-center gap-2 font-semibold text-stale">
          <Icon name="stale" />
          {count(many)} unknown {one ? "outcome" : "outcomes"}
        </h2>
        <p className="text-soft">
          {one ? "accepted" : "the oldest was accepted"} <Ago at={oldest.created_at} />
        </p>
        <p className="max-w-[80ch] basis-full text-soft">
          {one ? "It" : "They"} may have been executed. The sender asks the broker and sends nothing before it answers.
        </p>
      </header>
      <div className="relative max-h-72 overflow-auto">
        {isNarrow ? <Cards orders={orders} open={open} /> : <Table orders={orders} open={open} />}
      </div>
      {hasNextPage && (
        <footer className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t px-4 py-2">
          <p className="text-faint">The oldest {number(orders.length)} are shown.</p>
          <button type="button" className="button" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading …" : "Show more"}
          </button>
        </footer>
      )}
    </section>
  );
}

interface ListProps extends AboveListProps {
  readonly orders: readonly UnknownOrder[];
}

const Table = ({ orders, open }: ListProps) => (
  <table className="grid-table">
    <caption className="sr-only">Orders with an unknown outcome</caption>
    <thead>
      <tr>
        <th>Order</th>
        <th>Key</th>
        <th className="w-full">Last error</th>
        <th className="end">Next question</th>
        <th className="end">Accepted</th>
      </tr>
    </thead>
    <tbody>
      {orders.map(order => (
        // The button in the first cell is the keyboard equivalent.
        <tr key={order.order_id} className="cursor-pointer" onClick={() => open(order.order_id)}>
          <td>
            <button type="button" className="link" onClick={() => open(order.order_id)}>
              {orderWords(order)}
            </button>
          </td>
          <td className="mono max-w-96 truncate" title={order.idempotency_key}>
            {order.idempotency_key}
          </td>
          <td className="max-w-0 truncate text-soft" title={errorOf(order)}>
            {errorOf(order)}
          </td>
          <td className="end">
            <NextQuestion order={order} />
          </td>
          <td className="end">
            <Ago at={order.created_at} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);

const Cards = ({ orders, open }: ListProps) => (
  <ul>
    {orders.map(order => (
      <li key={order.order_id} className="border-b last:border-0">
        <button type="button" className="w-full px-3 py-2.5 text-left" onClick={() => open(order.order_id)}>
          <span className="flex items-center justify-between gap-2">
            <span className="font-medium text-accent">{orderWords(order)}</span>
            <Ago at={order.created_at} />
          </span>
          <span className="mono mt-0.5 block truncate text-soft">{order.idempotency_key}</span>
          <span className="mt-0.5 flex justify-between gap-2 text-faint">
            <span className="truncate">{order.last_error_code}</span>
            <span className="shrink-0">
              asked <NextQuestion order={order} />
            </span>
          </span>
        </button>
      </li>
    ))}
  </ul>
);

const errorOf = ({ last_error_code, last_error_msg }: UnknownOrder) => [last_error_code, last_error_msg].filter(Boolean).join(": ");

/** When the sender asks the broker next. */
function NextQuestion({ order: { status, next_attempt_at } }: { order: UnknownOrder }) {
  const now = useNow();
  if (status === "sending") return <span className="mono text-flight">now</span>;
  return Date.parse(next_attempt_at) > now ? <Ago at={next_attempt_at} /> : <span className="mono text-soft">due</span>;
}
