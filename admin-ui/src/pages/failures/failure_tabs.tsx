import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Count } from "../../api/answers.ts";
import { useLive } from "../../api/live.ts";
import * as queries from "../../api/queries.ts";
import { count } from "../../parts/format.ts";
import { notifications, outbox } from "../../parts/kinds.ts";

const tabs = [
  { to: "/failures", name: "By cause" },
  { to: "/failures/unreadable", name: "Unreadable messages" },
] as const;

/** The two types of failure: failed rows and unreadable messages. */
export function FailureTabs() {
  const live = useLive();
  const events = useQuery({ ...queries.counts(outbox), ...live }).data?.counts.FAILED;
  const deliveries = useQuery({ ...queries.counts(notifications), ...live }).data?.counts.FAILED;
  const many: Record<string, Count | undefined> = {
    "/failures": events && deliveries && { count: events.count + deliveries.count, more: events.more || deliveries.more },
    "/failures/unreadable": useQuery({ ...queries.rawDeadLetterCounts, ...live }).data?.open,
  };
  return (
    <nav aria-label="Types of failure" className="flex gap-1 border-b">
      {tabs.map(({ to, name }) => (
        <Link
          key={to}
          to={to}
          activeOptions={{ exact: to === "/failures", includeSearch: false }}
          className="-mb-px flex items-baseline gap-1.5 border-b-2 border-transparent px-3 py-2 text-soft hover:text-ink"
          activeProps={{ className: "!border-accent !text-ink font-medium", "aria-current": "page" }}
        >
          {name}
          <span className={`mono ${many[to]?.count ? "font-semibold text-failed" : "text-faint"}`}>{many[to] ? count(many[to]) : "·"}</span>
        </Link>
      ))}
    </nav>
  );
}
