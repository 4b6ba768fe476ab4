import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { Count } from "../../api/answers.ts";
import { useCountsOfConcern } from "../../api/counts.ts";
import { useLive } from "../../api/live.ts";
import * as queries from "../../api/queries.ts";
import { count, sumOf } from "../../parts/format.ts";
import { failedIn } from "../../parts/row_kinds.ts";
import { rowKinds } from "../../systems.ts";

const tabs = [
  { to: "/failures", name: "By cause" },
  { to: "/failures/unreadable", name: "Unreadable messages" },
] as const;

/** The two types of failure: failed rows and unreadable messages. */
export function FailureTabs() {
  const live = useLive();
  const counted = useCountsOfConcern();
  const failed = rowKinds.map((kind, index) => failedIn(kind, counted[index]?.data));
  const many: Record<string, Count | undefined> = {
    "/failures": failed.every(one => one !== undefined) ? sumOf(failed) : undefined,
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
