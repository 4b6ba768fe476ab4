import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { type BulkAction, tell } from "../api/api.ts";
import { useCan } from "../api/me.ts";
import { isRetrying, type Kind } from "./kinds.ts";
import { ReasonForm } from "./reason_form.tsx";
import { Trouble } from "./trouble.tsx";

const words = {
  requeue: { say: "Requeue", done: "It was requeued." },
  discard: { say: "Discard", done: "It was discarded." },
  retry: { say: "Retry now", done: "It is due now." },
};

export interface RepairProps {
  readonly kind: Kind;
  readonly id: string;
  readonly status: string;
  /** Failed ones before this one; it waits for the next. */
  readonly attempts: number;
}

/** What can be done to one that failed or waits for another attempt; answers where it was asked. The dangerous one stands apart. */
export function Repair({ kind, id, status, attempts }: RepairProps) {
  const client = useQueryClient();
  const [isOperator, isAdmin] = [useCan("OPERATOR"), useCan("ADMIN")];
  const [asked, setAsked] = useState<BulkAction>();
  const act = useMutation({
    mutationFn: ({ action, reason }: { action: BulkAction; reason: string }) =>
      tell(kind.system, `${kind.name}/${id}/${action}`, { reason }),
    onSuccess: () => {
      setAsked(undefined);
      return client.invalidateQueries();
    },
  });
  const choose = (action: BulkAction) => {
    act.reset();
    setAsked(action);
  };
  const waits = isRetrying({ status, attempts });
  if (!isOperator || (status !== "FAILED" && !waits && !act.isSuccess)) return null;
  return (
    <div className="mb-6 flex flex-col gap-3 rounded-md border p-4">
      {act.isSuccess && (
        <p role="status" className="font-medium text-done">
          {words[act.variables.action].done}
        </p>
      )}
      {act.error && <Trouble what="Nothing was changed." error={act.error} />}
      {!asked && waits && (
        <button type="button" className="button primary self-start" onClick={() => choose("retry")}>
          Retry now …
        </button>
      )}
      {!asked && status === "FAILED" && (
        <div className="flex flex-wrap justify-between gap-2">
          <button type="button" className="button primary" onClick={() => choose("requeue")}>
            Requeue …
          </button>
          {isAdmin && (
            <button type="button" className="button danger" onClick={() => choose("discard")}>
              Discard …
            </button>
          )}
        </div>
      )}
      {asked === "retry" && <p className="text-soft">It does not wait for its next attempt. Attempts go on counting.</p>}
      {asked === "discard" && <p className="text-failed">It is deleted for good. Only the audit keeps what it was.</p>}
      {asked && (
        <ReasonForm
          key={asked}
          say={words[asked].say}
          isBusy={act.isPending}
          isDangerous={asked === "discard"}
          act={reason => act.mutate({ action: asked, reason })}
          cancel={() => setAsked(undefined)}
        />
      )}
    </div>
  );
}
