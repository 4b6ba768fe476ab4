import { useQuery } from "@tanstack/react-query";
import type { Consistency as ConsistencyAnswer } from "../../api/answers.ts";
import * as queries from "../../api/queries.ts";
import { Facts } from "../../parts/facts.tsx";
import { number } from "../../parts/format.ts";
import { Id } from "../../parts/id.tsx";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { useSettings } from "../../parts/settings.ts";
import { Ago, At } from "../../parts/time.tsx";
import { type System, systems, titleOf } from "../../systems.ts";
import { Invariants, Verdict } from "./invariants.tsx";
import { Reconciler } from "./reconciler.tsx";
import { Verification } from "./verification.tsx";

// The queries are bounded but not free.
const leastEvery = 10;

function useConsistency(system: System) {
  const { every } = useSettings();
  return useQuery({ ...queries.consistency(system), refetchInterval: every > 0 ? Math.max(every, leastEvery) * 1000 : false });
}

/** The invariants of each system, the reconciler and the stream. */
export function Consistency() {
  return (
    <Page title="Consistency" about="Invariants of each system, the reconciler and the stream">
      {systems.map(system => (
        <SystemInvariants key={system} system={system} />
      ))}
      <VerificationPanel />
      <div className="grid items-stretch gap-3 lg:grid-cols-2">
        <ReconcilerPanel />
        <StreamPanel />
      </div>
    </Page>
  );
}

function SystemInvariants({ system }: { system: System }) {
  const { data, error, isPending, refetch } = useConsistency(system);
  return (
    <Panel title={titleOf(system)} aside={data && <Verdict invariants={data.invariants} />}>
      {error && <ErrorNotice what={`The invariants of ${system} cannot be checked.`} error={error} retry={() => void refetch()} />}
      {isPending && <Skeleton rows={8} />}
      {data && <Invariants invariants={data.invariants} system={system} />}
    </Panel>
  );
}

function ReconcilerPanel() {
  const { data, error, isPending } = useConsistency("entitlement");
  return (
    <Panel title="Reconciler">
      {error && <ErrorNotice what="The last run cannot be loaded." error={error} />}
      {isPending && <Skeleton rows={4} />}
      {data?.reconciler && <Reconciler state={data.reconciler} />}
    </Panel>
  );
}

function VerificationPanel() {
  const { data, error, isPending } = useConsistency("entitlement");
  return (
    <Panel title="Confirmed events">
      {error && <ErrorNotice what="The check of confirmed events cannot be loaded." error={error} />}
      {isPending && <Skeleton rows={4} />}
      {data?.verification && <Verification state={data.verification} />}
    </Panel>
  );
}

function StreamPanel() {
  const { data, error, isPending } = useConsistency("entitlement");
  return (
    <Panel title="Stream, last observed">
      {error && <ErrorNotice what="The stream cannot be loaded." error={error} />}
      {isPending && <Skeleton rows={4} />}
      {data && (data.stream ? <StreamFacts stream={data.stream} /> : <EmptyState title="No relay has checked the stream yet" />)}
    </Panel>
  );
}

const StreamFacts = ({ stream }: { stream: NonNullable<ConsistencyAnswer["stream"]> }) => (
  <div className="p-4">
    <Facts
      facts={[
        [
          "Name",
          <span key="name" className="mono">
            {stream.stream}
          </span>,
        ],
        [
          "Last message",
          <span key="seq" className="mono">
            #{number(stream.last_seq)}
          </span>,
        ],
        ["Incarnation", <Id key="incarnation" id={stream.incarnation} whole />],
        ["Last check", <Ago key="observed" at={stream.observed_at} />],
        ["Lost messages", stream.resend_before ? <At key="lost" at={stream.resend_before} /> : "none detected"],
      ]}
    />
    <p className="mt-3 max-w-[80ch] text-faint">
      A new incarnation or a lower last message means that the stream lost messages. Unconfirmed events are then republished.
    </p>
  </div>
);
