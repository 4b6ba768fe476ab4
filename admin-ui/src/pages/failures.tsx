import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import type { Filter, Group } from "../api.ts";
import { count, middle } from "../format.ts";
import { type Kind, notifications, outbox } from "../kinds.ts";
import { useLive } from "../live.ts";
import { useCan } from "../me.ts";
import { Bulk } from "../parts/bulk.tsx";
import { Page, Panel } from "../parts/page.tsx";
import { Ago } from "../parts/time.tsx";
import { Empty, Skeleton, Trouble } from "../parts/trouble.tsx";
import * as queries from "../queries.ts";
import { FailureTabs } from "./failure_tabs.tsx";

/** One cause, one line: what failed for the same reason is looked at and put back together. */
export function Failures() {
  const [bulk, setBulk] = useState<{ kind: Kind; filter: Filter }>();
  const repair = (kind: Kind, group: Group) => setBulk({ kind, filter: { status: "FAILED", fingerprint: group.fingerprint } });
  return (
    <Page title="Failures" about="By cause: errors that differ only in ids, numbers and times are one group">
      <FailureTabs />
      <Groups kind={notifications} repair={group => repair(notifications, group)} />
      <Groups kind={outbox} repair={group => repair(outbox, group)} />
      {bulk && <Bulk kind={bulk.kind} filter={bulk.filter} close={() => setBulk(undefined)} />}
    </Page>
  );
}

function Groups({ kind, repair }: { kind: Kind; repair: (group: Group) => void }) {
  const canAct = useCan("OPERATOR");
  const { data, error, isPending, refetch } = useQuery({ ...queries.groups(kind), ...useLive() });
  const groups = data?.groups ?? [];
  const total = { count: groups.reduce((sum, group) => sum + group.count, 0), more: data?.more || groups.some(group => group.more) };
  return (
    <Panel
      title={kind.title}
      aside={
        total.count > 0 && (
          <Link to={`/${kind.name}`} search={{ status: "FAILED" }} className="link">
            {count(total)} failed
          </Link>
        )
      }
    >
      {error && <Trouble what={`Failures of ${kind.title.toLowerCase()} are not known now.`} error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton rows={3} />}
      {data && groups.length === 0 && <Empty title={`No ${kind.one} failed`}>What fails for good is listed here by its cause.</Empty>}
      <ul>
        {groups.map(group => (
          <li
            key={group.fingerprint}
            className="grid grid-cols-[minmax(2.75rem,auto)_minmax(0,1fr)] items-start gap-x-3 gap-y-2 border-b px-3 py-3 last:border-0 md:px-4 md:grid-cols-[5rem_minmax(0,1fr)_auto]"
          >
            <span className="mono !text-xl text-right font-semibold text-failed">{count(group)}</span>
            <div className="min-w-0">
              <p className="mono line-clamp-3 break-words" title={group.sample_error}>
                {group.sample_error}
              </p>
              <p className="mt-1 flex flex-wrap gap-x-4 text-faint">
                <span>
                  first <Ago at={group.first_at} />
                </span>
                <span>
                  last <Ago at={group.last_at} />
                </span>
                <span>
                  for example{" "}
                  <Link to={`/${kind.name}/$id`} params={{ id: group.sample_id }} className="mono link" title={group.sample_id}>
                    {middle(group.sample_id)}
                  </Link>
                </span>
              </p>
            </div>
            <div className="col-start-2 flex gap-2 md:col-start-3">
              <Link to={`/${kind.name}`} search={{ status: "FAILED", fingerprint: group.fingerprint }} className="button">
                Show
              </Link>
              {canAct && (
                <button type="button" className="button primary" onClick={() => repair(group)}>
                  Requeue …
                </button>
              )}
            </div>
          </li>
        ))}
      </ul>
      {data?.more && <p className="border-t px-4 py-3 text-faint">There are more causes than are shown here.</p>}
    </Panel>
  );
}
