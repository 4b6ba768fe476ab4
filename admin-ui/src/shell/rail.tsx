import { useQuery } from "@tanstack/react-query";
import { Link, useLocation } from "@tanstack/react-router";
import { useState } from "react";
import type { Count } from "../api/answers.ts";
import { useCountsOfConcern } from "../api/counts.ts";
import { useLive } from "../api/live.ts";
import { useQueues } from "../api/matchmaking.ts";
import * as queries from "../api/queries.ts";
import { useUnknownCount } from "../api/unknown_orders.ts";
import { Dialog } from "../parts/dialog.tsx";
import { count, sumOf } from "../parts/format.ts";
import { Icon } from "../parts/icons.tsx";
import { matchAttention } from "../parts/match_troubles.ts";
import { useIsNarrow } from "../parts/narrow.ts";
import { failedIn } from "../parts/row_kinds.ts";
import { kindOf, rowKinds } from "../systems.ts";
import { linkTo, type NavigationPage, pages } from "./pages.ts";

interface Badge extends Count {
  readonly word: string;
}

const none: Count = { count: 0, more: false };

/** The counts of failures, by page. */
function useBadges(): Readonly<Record<string, Badge>> {
  const live = useLive();
  const counted = useCountsOfConcern();
  const failed = rowKinds.map((kind, index) => failedIn(kind, counted[index]?.data) ?? none);
  const unreadable = useQuery({ ...queries.rawDeadLetterCounts, ...live }).data?.open ?? none;
  const unknown = useUnknownCount().data ?? none;
  const { troubles } = useQueues();
  return {
    ...Object.fromEntries(rowKinds.map(({ name }, index) => [`/${name}`, { ...failed[index]!, word: "failed" }])),
    "/orders": { ...sumOf([failed[rowKinds.indexOf(kindOf("orders"))]!, unknown]), word: "need attention" },
    "/matchmaking": { count: matchAttention(troubles), more: false, word: "need attention" },
    "/failures": { ...sumOf([...failed, unreadable]), word: "need attention" },
  };
}

/** The navigation with badges of failures: a rail at the left, or on a phone a bar at the bottom with a button for further pages. */
export function Rail() {
  const badges = useBadges();
  const isNarrow = useIsNarrow();
  const [isMore, setMore] = useState(false);
  const { pathname } = useLocation();
  const shown = isNarrow ? pages.filter(({ isInBar }) => isInBar) : pages;
  const rest = pages.filter(page => !shown.includes(page));
  const isInRest = rest.some(({ path }) => pathname.startsWith(path));
  return (
    <nav
      aria-label="Pages"
      className="fixed inset-x-0 bottom-0 z-20 flex border-t bg-panel md:sticky md:top-0 md:h-dvh md:flex-col md:gap-0.5 md:overflow-y-auto md:border-t-0 md:border-r md:p-2"
    >
      <p className="hidden h-10 shrink-0 items-center gap-2 px-2 pb-1 text-base font-semibold tracking-tight md:flex">
        <span className="grid size-6 place-items-center rounded bg-accent text-on-accent">
          <Icon name="seal" className="size-4" />
        </span>
        Kenri
      </p>
      {shown.map(({ path, name, icon }) => (
        <Link
          key={path}
          {...linkTo(path)}
          activeOptions={{ exact: path === "/", includeSearch: false }}
          className={item}
          activeProps={{ className: "bg-raised !text-ink font-medium", "aria-current": "page" }}
        >
          <Icon name={icon} />
          <span className="max-w-full text-[0.6875rem] tracking-tight md:text-sm md:tracking-normal">{name}</span>
          <BadgeMark badge={badges[path]} />
        </Link>
      ))}
      {rest.length > 0 && (
        <button
          type="button"
          aria-haspopup="dialog"
          className={`${item} ${isInRest ? "bg-raised !text-ink font-medium" : ""}`}
          onClick={() => setMore(true)}
        >
          <Icon name="more" />
          <span className="text-[0.6875rem]">More</span>
          <BadgeMark badge={sumOfBadges(rest.flatMap(({ path }) => badges[path] ?? []))} />
        </button>
      )}
      {isMore && <More rest={rest} badges={badges} close={() => setMore(false)} />}
    </nav>
  );
}

const sumOfBadges = (some: readonly Badge[]): Badge => ({ ...sumOf(some), word: "need attention" });

const inRail = "absolute top-1 left-[calc(50%+0.25rem)] md:static md:ml-auto";

function BadgeMark({ badge, place = inRail }: { badge: Badge | undefined; place?: string }) {
  if (!badge || badge.count === 0) return null;
  return (
    <span className={`mono rounded-full bg-failed px-1.5 !text-[0.6875rem] leading-4 font-semibold text-on-failed ${place}`}>
      {count(badge)}
      <span className="sr-only"> {badge.word}</span>
    </span>
  );
}

const item =
  "relative flex min-h-13 min-w-0 flex-1 flex-col items-center justify-center gap-0.5 text-soft hover:bg-raised md:min-h-8.5 md:flex-none md:flex-row md:justify-start md:gap-2.5 md:rounded md:px-2.5";

interface MoreProps {
  readonly rest: readonly NavigationPage[];
  readonly badges: Readonly<Record<string, Badge>>;
  readonly close: () => void;
}

function More({ rest, badges, close }: MoreProps) {
  return (
    <Dialog title="More pages" close={close}>
      <ul className="-mx-2">
        {rest.map(({ path, name, icon }) => (
          <li key={path}>
            <Link
              {...linkTo(path)}
              onClick={close}
              className="flex min-h-11 items-center gap-3 rounded px-2 hover:bg-raised"
              activeProps={{ className: "bg-raised font-medium", "aria-current": "page" }}
            >
              <Icon name={icon} />
              {name}
              <BadgeMark badge={badges[path]} place="ml-auto" />
            </Link>
          </li>
        ))}
      </ul>
    </Dialog>
  );
}
