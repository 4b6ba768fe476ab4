import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { counts } from "../../api/queries.ts";
import { span } from "../../parts/format.ts";
import { stateMeaning } from "../../parts/row_kinds.ts";
import { Ago, useNow } from "../../parts/time.tsx";
import { kindOf } from "../../systems.ts";
import { wordsOf } from "./objective_words.ts";
import { longestWait, newestFailed, slowestEvent, slowestSteps } from "./samples.ts";

/** A concrete thing behind an objective with bad units. Where none is kept, it says where to look. */
export function SampleLink({ slo }: { slo: string }) {
  const step = slowestSteps[slo];
  if (step) return <Slowest step={step} />;
  if (slo === "delivery") return <NewestFailed />;
  if (slo === "backlog-age") return <OldestWaiting />;
  if (slo === "time-to-match") return <LongestWait />;
  const { log } = wordsOf(slo);
  return <Quiet>{log ? `trace ids: log of ${log}` : "no example is kept"}</Quiet>;
}

const Quiet = ({ children }: { children: ReactNode }) => <span className="text-faint">{children}</span>;
const cannot = <Quiet>cannot be loaded</Quiet>;

function Slowest({ step }: { step: (typeof slowestSteps)[string] }) {
  const { data, error } = useQuery(slowestEvent(step));
  if (error) return cannot;
  if (data === undefined) return <Quiet>…</Quiet>;
  if (data === null) return <Quiet>none in the last 24 h</Quiet>;
  return (
    <span>
      <Link to="/journey/$id" params={{ id: data.id }} className="link">
        slowest: {span(data.took_ms)}
      </Link>{" "}
      <Ago at={data.minute} />
    </span>
  );
}

function NewestFailed() {
  const { data, error } = useQuery(newestFailed);
  if (error) return cannot;
  if (data === undefined) return <Quiet>…</Quiet>;
  if (data === null) return <Quiet>none is FAILED now</Quiet>;
  return (
    <Link to="/$kind/$id" params={{ kind: "notifications", id: data }} className="link">
      newest FAILED notification
    </Link>
  );
}

const outbox = kindOf("outbox");

function OldestWaiting() {
  const now = useNow();
  const { data, error } = useQuery(counts(outbox));
  if (error) return cannot;
  if (data === undefined) return <Quiet>…</Quiet>;
  if (!data.oldest_pending_at) return <Quiet>no event waits now</Quiet>;
  return (
    <Link to="/$kind" params={{ kind: "outbox" }} search={{ status: stateMeaning(outbox, "waiting").name }} className="link">
      oldest waits {span(now - Date.parse(data.oldest_pending_at))}
    </Link>
  );
}

function LongestWait() {
  const { data, error } = useQuery(longestWait);
  if (error) return cannot;
  if (data === undefined) return <Quiet>…</Quiet>;
  if (data === null) return <Quiet>no match is kept</Quiet>;
  return (
    <Link to="/matchmaking/matches/$id" params={{ id: data.matchId }} className="link">
      longest wait: {span(data.seconds * 1000)}
    </Link>
  );
}
