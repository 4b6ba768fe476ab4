import { useQueries, useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useRef } from "react";
import type { SourceLag } from "../../../../server/kernel/operator/health_routes.ts";
import type { Counts } from "../../api/answers.ts";
import { ApiError } from "../../api/client.ts";
import { useCountsOfConcern } from "../../api/counts.ts";
import { useLive } from "../../api/live.ts";
import { useQueues } from "../../api/matchmaking.ts";
import * as queries from "../../api/queries.ts";
import { useUnknownOrders } from "../../api/unknown_orders.ts";
import { Icon } from "../../parts/icons.tsx";
import { retryingState, stateMeaning } from "../../parts/row_kinds.ts";
import { useSettings } from "../../parts/settings.ts";
import { toneText } from "../../parts/state_mark.tsx";
import { useNow } from "../../parts/time.tsx";
import { type Kind, type KindName, kindOf, rowKinds, systems, watchedSystems } from "../../systems.ts";
import { type Finding, headlineOf, type QueryResult, type Target } from "./headline.ts";
import { growingIn, type Samples, withLags } from "./lag.ts";
import { gatewayHealth, health as healthQuery, monitoring as monitoringQuery } from "./queries.ts";

// Invariants cost more than a count and rarely change.
const consistencyEvery = 60_000;

interface Query<T> {
  readonly data: T | undefined;
  readonly error: Error | null;
  readonly dataUpdatedAt: number;
}

const resultOf = <T,>({ data, error, dataUpdatedAt: at }: Query<T>): QueryResult<T> => ({
  data,
  error: error?.message,
  at,
  isUnreachable: error instanceof ApiError && error.status === 0,
});

const bySystem = <T, Name extends string>(names: readonly Name[], results: readonly Query<T>[]) =>
  Object.fromEntries(names.map((system, index) => [system, resultOf(results[index]!)])) as Record<Name, QueryResult<T>>;

function useHeadline() {
  const now = useNow();
  const { every } = useSettings();
  const live = useLive();
  const slow = { refetchInterval: live.refetchInterval && Math.max(live.refetchInterval, consistencyEvery) };
  const health = bySystem(watchedSystems, useQueries({ queries: watchedSystems.map(system => ({ ...healthQuery(system), ...live })) }));
  const gateway = resultOf(useQuery({ ...gatewayHealth, ...live }));
  const counted = useCountsOfConcern();
  const counts = Object.fromEntries(rowKinds.map(({ name }, index) => [name, resultOf(counted[index]!)])) as Record<
    KindName,
    QueryResult<Counts>
  >;
  const consistency = bySystem(systems, useQueries({ queries: systems.map(system => ({ ...queries.consistency(system), ...slow })) }));
  const unreadable = resultOf(useQuery({ ...queries.rawDeadLetterCounts, select: ({ open }) => open, ...live }));
  const unknownOrders = resultOf(useUnknownOrders());
  const queues = resultOf(useQueues().query);
  const monitoring = resultOf(useQuery({ ...monitoringQuery, ...live }));
  const growingLags = useGrowingLags(health.notification.data?.consumers ?? [], health.notification.at);
  return headlineOf({
    now,
    every: every * 1000,
    health,
    gateway,
    counts,
    consistency,
    unreadable,
    unknownOrders,
    queues,
    monitoring,
    growingLags,
  });
}

/** The sources whose lag grew over the last responses. */
function useGrowingLags(consumers: readonly SourceLag[], at: number): string[] {
  const samples = useRef<Samples>(new Map());
  samples.current = withLags(samples.current, consumers, at);
  return growingIn(samples.current);
}

/** The headline, and further findings below it. */
export function Headline() {
  const { tone, text, to, isPause, others } = useHeadline();
  return (
    <section aria-label="State of the system" className="flex flex-col gap-1.5">
      <p className={`flex items-start gap-2 text-xl font-semibold tracking-tight ${toneText[tone]}`}>
        <Icon name={isPause ? "pause" : tone} className="mt-1 size-5" />
        <span className="min-w-0 break-words">
          <span className="mr-3">{text}</span>
          {to && <More to={to} />}
        </span>
      </p>
      {others.length > 0 && (
        <ul className="flex flex-col gap-0.5 pl-7">
          {others.map(one => (
            <Other key={one.text} {...one} />
          ))}
        </ul>
      )}
    </section>
  );
}

const Other = ({ tone, text, to }: Finding) => (
  <li className={`flex flex-wrap items-baseline gap-x-3 ${tone === "pending" ? "text-soft" : toneText[tone]}`}>
    <span className="min-w-0 break-words">{text}</span>
    {to && <More to={to} />}
  </li>
);

const words = {
  "/failures": "Show the causes",
  "/failures/unreadable": "Show the messages",
  "/consistency": "Show the invariants",
  "/matchmaking": "Show matchmaking",
} as const;
const isList = (to: Target): to is `/${KindName}` => !(to in words) && to !== "unknown outcomes";

/** Where rows wait after a failure: a state of their own, if the table stores it. */
const waitingState = (kind: Kind) => (retryingState(kind).isDerived ? stateMeaning(kind, "waiting") : retryingState(kind));

function More({ to }: { to: Target }) {
  const className = "link text-sm font-medium";
  if (isList(to)) {
    const kind = kindOf(to.slice(1));
    return (
      <Link to="/$kind" params={{ kind: kind.name }} search={{ status: waitingState(kind).name }} className={className}>
        Show the {kind.many}
      </Link>
    );
  }
  if (to === "unknown outcomes")
    return (
      <Link to="/$kind" params={{ kind: "orders" }} className={className}>
        Show the unknown outcomes
      </Link>
    );
  return (
    <Link to={to} className={className}>
      {words[to]}
    </Link>
  );
}
