import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { RowAction } from "../../../server/kernel/operator/row_kind.ts";
import { post } from "../api/client.ts";
import { useMay } from "../api/role.ts";
import type { Kind } from "../systems.ts";
import { keptOf } from "./action_risks.ts";
import { ErrorNotice } from "./notices.tsx";
import { ReasonForm } from "./reason_form.tsx";
import { RequeueRisk } from "./requeue_risk.tsx";
import { isEligible } from "./row_kinds.ts";

const words = {
  requeue: { label: "Requeue", done: "It was requeued." },
  discard: { label: "Discard", done: "It was discarded." },
  retry: { label: "Retry now", done: "It is due now." },
};

export interface RepairProps {
  readonly kind: Kind;
  readonly id: string;
  readonly status: string;
  /** Failed attempts so far. */
  readonly attempts: number;
  /** When it failed for good. */
  readonly failedAt?: string | null | undefined;
  /** Whether it can never be requeued. */
  readonly isEnded?: boolean;
}

/** Actions on a failed or retrying row, with the result shown in place. The destructive action stands apart. */
export function Repair({ kind, id, status, attempts, failedAt, isEnded = false }: RepairProps) {
  const client = useQueryClient();
  const can = {
    requeue: useMay(kind, "requeue") && !isEnded,
    retry: useMay(kind, "retry"),
    discard: useMay(kind, "discard"),
  };
  const [chosen, setChosen] = useState<RowAction>();
  const act = useMutation({
    mutationFn: ({ action, reason }: { action: RowAction; reason: string }) =>
      post(kind.system, `${kind.name}/${id}/${action}`, { reason }),
    onSuccess: () => {
      setChosen(undefined);
      return client.invalidateQueries();
    },
  });
  const choose = (action: RowAction) => {
    act.reset();
    setChosen(action);
  };
  const waits = can.retry && isEligible(kind, "retry", { status, attempts });
  const isDiscarded = act.isSuccess && act.variables.action === "discard";
  const isFailed = isEligible(kind, "requeue", { status, attempts }) && !isDiscarded;
  if (!waits && !(isFailed && (can.requeue || can.discard)) && !act.isSuccess) return null;
  return (
    <div className="mb-6 flex flex-col gap-3 rounded-md border p-4">
      {act.isSuccess && (
        <p role="status" className="font-medium text-done">
          {words[act.variables.action].done}
        </p>
      )}
      {act.error && <ErrorNotice what="Nothing was changed." error={act.error} />}
      {!chosen && waits && (
        <button type="button" className="button primary self-start" onClick={() => choose("retry")}>
          Retry now …
        </button>
      )}
      {!chosen && isFailed && (
        <div className="flex flex-wrap justify-between gap-2">
          {can.requeue && (
            <button type="button" className="button primary" onClick={() => choose("requeue")}>
              Requeue …
            </button>
          )}
          {can.discard && (
            <button type="button" className="button danger" onClick={() => choose("discard")}>
              Discard …
            </button>
          )}
        </div>
      )}
      {chosen === "retry" && <p className="text-soft">It is retried now. Its attempt count is kept.</p>}
      {chosen === "requeue" && <RequeueRisk kind={kind} many={1} at={failedAt ?? undefined} />}
      {chosen === "discard" && <p className="text-failed">It is deleted permanently. {keptOf(kind, 1)}</p>}
      {chosen && (
        <ReasonForm
          key={chosen}
          label={words[chosen].label}
          isBusy={act.isPending}
          isDangerous={chosen === "discard"}
          act={reason => act.mutate({ action: chosen, reason })}
          cancel={() => setChosen(undefined)}
        />
      )}
    </div>
  );
}
