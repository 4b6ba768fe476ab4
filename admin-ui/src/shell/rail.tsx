import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Count } from "../api.ts";
import { count } from "../format.ts";
import { type Kind, notifications, outbox } from "../kinds.ts";
import { useLive } from "../live.ts";
import { Icon } from "../parts/icons.tsx";
import * as queries from "../queries.ts";
import { pages } from "./pages.ts";

function useFailed(kind: Kind): Count | undefined {
  const failed = useQuery({ ...queries.counts(kind), ...useLive() }).data?.counts.FAILED;
  return failed && failed.count > 0 ? failed : undefined;
}

/** The pages, with what failed beside them: a rail at the left, on a phone a bar at the bottom. */
export function Rail() {
  const failed: Record<string, Count | undefined> = { "/outbox": useFailed(outbox), "/notifications": useFailed(notifications) };
  return (
    <nav
      aria-label="Pages"
      className="fixed inset-x-0 bottom-0 z-20 flex overflow-x-auto border-t bg-panel md:sticky md:top-0 md:h-dvh md:flex-col md:gap-0.5 md:border-t-0 md:border-r md:p-2"
    >
      <p className="hidden h-10 items-center gap-2 px-2 pb-1 text-base font-semibold tracking-tight md:flex">
        <span className="grid size-6 place-items-center rounded bg-accent text-on-accent">
          <Icon name="seal" className="size-4" />
        </span>
        Kenri
      </p>
      {pages.map(({ to, name, short, icon }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === "/", includeSearch: false }}
          className="relative flex min-h-13 min-w-14 flex-1 flex-col items-center justify-center gap-0.5 text-soft hover:bg-raised md:min-h-8.5 md:min-w-0 md:flex-none md:flex-row md:justify-start md:gap-2.5 md:rounded md:px-2.5"
          activeProps={{ className: "bg-raised !text-ink font-medium", "aria-current": "page" }}
        >
          <Icon name={icon} />
          <span className="text-[0.625rem] md:hidden">{short}</span>
          <span className="hidden md:inline">{name}</span>
          {failed[to] && (
            <span className="mono absolute top-1 left-[calc(50%+0.25rem)] rounded-full bg-failed px-1.5 !text-[0.6875rem] leading-4 font-semibold text-on-failed md:static md:ml-auto">
              {count(failed[to])}
              <span className="sr-only"> failed</span>
            </span>
          )}
        </Link>
      ))}
    </nav>
  );
}
