import { useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { post } from "../../api/client.ts";
import { number } from "../../parts/format.ts";
import { ReasonForm } from "../../parts/reason_form.tsx";
import { RequeueRisk } from "../../parts/requeue_risk.tsx";
import type { Kind } from "../../systems.ts";

interface Run {
  readonly done: number;
  readonly refused: readonly string[];
  readonly isOver: boolean;
}

const words = {
  requeue: { open: "Requeue selected …", label: "Requeue", done: "requeued" },
  retry: { open: "Retry selected now …", label: "Retry", done: "retried" },
} as const;

interface SelectionBarProps {
  readonly kind: Kind;
  readonly action: keyof typeof words;
  readonly ids: readonly string[];
  /** When the first of them failed. */
  readonly failedAt: string | undefined;
  readonly clear: () => void;
}

/** Selected rows are requeued or retried one by one, each with its own result. */
export function SelectionBar({ kind, action, ids, failedAt, clear }: SelectionBarProps) {
  const client = useQueryClient();
  const [isFormOpen, setFormOpen] = useState(false);
  const [run, setRun] = useState<Run>();

  async function actOnEach(reason: string): Promise<void> {
    let state: Run = { done: 0, refused: [], isOver: false };
    setRun(state);
    for (const id of ids) {
      const refusal = await post(kind.system, `${kind.name}/${id}/${action}`, { reason }).then(
        () => undefined,
        (error: Error) => `${id}: ${error.message}`,
      );
      state = { ...state, done: state.done + (refusal ? 0 : 1), refused: refusal ? [...state.refused, refusal] : state.refused };
      setRun(state);
    }
    setFormOpen(false);
    setRun({ ...state, isOver: true });
    if (state.refused.length === 0) clear();
    await client.invalidateQueries();
  }

  const close = () => {
    clear();
    setFormOpen(false);
    setRun(undefined);
  };
  if (ids.length === 0 && !run) return null;
  return (
    // At the bottom, so that selecting the first row moves nothing.
    <section
      aria-label="Selection"
      className="panel sticky bottom-16 z-10 flex flex-col gap-3 !border-accent px-4 py-3 shadow-drawer md:bottom-3"
    >
      <div className="flex flex-wrap items-center gap-3">
        {ids.length > 0 && <p className="font-medium">{number(ids.length)} selected</p>}
        {!isFormOpen && ids.length > 0 && (
          <button type="button" className="button primary" onClick={() => setFormOpen(true)}>
            {words[action].open}
          </button>
        )}
        <button type="button" className="button" onClick={close}>
          {ids.length > 0 ? "Clear selection" : "Close"}
        </button>
        {run && (
          <p role="status" className="mono text-soft">
            {number(run.done)} {words[action].done}
            {run.refused.length > 0 && `, ${number(run.refused.length)} refused`}
          </p>
        )}
      </div>
      {isFormOpen && action === "requeue" && ids.length > 0 && <RequeueRisk kind={kind} many={ids.length} at={failedAt} />}
      {isFormOpen && (
        <ReasonForm
          label={`${words[action].label} ${number(ids.length)}`}
          isBusy={run !== undefined && !run.isOver}
          act={reason => void actOnEach(reason)}
          cancel={() => setFormOpen(false)}
        />
      )}
      {run?.isOver &&
        run.refused.map(line => (
          <p key={line} className="break-words text-failed">
            {line}
          </p>
        ))}
    </section>
  );
}
