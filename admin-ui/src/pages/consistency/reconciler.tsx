import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { Consistency } from "../../api/answers.ts";
import { post } from "../../api/client.ts";
import * as queries from "../../api/queries.ts";
import { useCan } from "../../api/role.ts";
import { Facts } from "../../parts/facts.tsx";
import { number, span } from "../../parts/format.ts";
import { ErrorNotice } from "../../parts/notices.tsx";
import { ReasonForm } from "../../parts/reason_form.tsx";
import type { Tone } from "../../parts/row_kinds.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { Ago } from "../../parts/time.tsx";

const outcomes: Record<string, { tone: Tone; word: string }> = {
  done: { tone: "done", word: "Done" },
  away: { tone: "retry", word: "Skipped" },
  unanswered: { tone: "retry", word: "No answer" },
  failed: { tone: "failed", word: "Failed" },
};
const lookAgainAfter = 1000;

/** The result of its last run, and a button to run it now for operators. */
export function Reconciler({ state: { last_run: run, every_seconds, due } }: { state: NonNullable<Consistency["reconciler"]> }) {
  return (
    <div className="flex flex-col gap-4 p-4">
      <p className="max-w-[80ch] text-soft">
        Every {every_seconds < 60 ? `${every_seconds} s` : span(every_seconds * 1000)} it asks notification which published events it has,
        confirms those, and republishes missing events that are not in flight.
      </p>
      {run ? (
        <Facts
          facts={[
            ["Last run", <StateMark key="outcome" state={outcomes[run.outcome] ?? { tone: "pending", word: run.outcome }} />],
            ...(run.note ? [["Cause", run.note] as const] : []),
            ["Ended", <Ago key="ended" at={run.finished_at} />],
            [
              "Result",
              <span key="came" className="mono">
                {number(run.looked_at ?? 0)} checked · {number(run.confirmed ?? 0)} confirmed · {number(run.resent ?? 0)} republished
              </span>,
            ],
            [
              "By",
              <span key="worker" className="mono break-all">
                {run.worker}
              </span>,
            ],
          ]}
        />
      ) : (
        <p className="text-faint">No run yet. Check that a relay is running.</p>
      )}
      <RunNow isDue={due} startedAt={run?.started_at ?? undefined} />
    </div>
  );
}

function RunNow({ isDue, startedAt }: { isDue: boolean; startedAt: string | undefined }) {
  const client = useQueryClient();
  const canAct = useCan("OPERATOR");
  const [isFormOpen, setFormOpen] = useState(false);
  const { queryKey } = queries.consistency("entitlement");
  const runNow = useMutation({
    mutationFn: (reason: string) => post<{ asked_at: string }>("entitlement", "reconcile", { reason }),
    onSuccess: () => {
      setFormOpen(false);
      return client.invalidateQueries({ queryKey });
    },
  });
  const hasRun = runNow.data !== undefined && startedAt !== undefined && startedAt >= runNow.data.asked_at;
  const isWaiting = isDue || (runNow.data !== undefined && !hasRun);
  useEffect(() => {
    if (!isWaiting) return;
    const timer = setInterval(() => void client.refetchQueries({ queryKey }), lookAgainAfter);
    return () => clearInterval(timer);
  });
  return (
    <div className="flex flex-col items-start gap-2">
      <p role="status" className={isWaiting ? "text-soft" : hasRun ? "font-medium text-done" : "hidden"}>
        {isWaiting ? "Waiting for a relay …" : hasRun ? "The reconciler has run." : ""}
      </p>
      {runNow.error && <ErrorNotice what="The run was not requested." error={runNow.error} />}
      {canAct &&
        (isFormOpen ? (
          <ReasonForm label="Run now" isBusy={runNow.isPending} act={reason => runNow.mutate(reason)} cancel={() => setFormOpen(false)} />
        ) : (
          <button type="button" className="button" disabled={isWaiting} onClick={() => setFormOpen(true)}>
            Run now …
          </button>
        ))}
    </div>
  );
}
