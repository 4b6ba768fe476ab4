import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import type { BulkPreview } from "../../../server/kernel/operator/bulk_routes.ts";
import type { RowAction } from "../../../server/kernel/operator/row_kind.ts";
import type { Filter, Operation } from "../api/answers.ts";
import { ApiError, post } from "../api/client.ts";
import * as queries from "../api/queries.ts";
import { useMay } from "../api/role.ts";
import { isKindName, type Kind, kindOf } from "../systems.ts";
import { keptOf } from "./action_risks.ts";
import { startShown } from "./bulk_start.ts";
import { Dialog } from "./dialog.tsx";
import { Facts } from "./facts.tsx";
import { wordsOf } from "./filter.ts";
import { number } from "./format.ts";
import { Id } from "./id.tsx";
import { ErrorNotice, Skeleton } from "./notices.tsx";
import { doneWords, isMoving, verdictOf } from "./operation_outcome.ts";
import { OperationProgress } from "./progress.tsx";
import { ReasonForm } from "./reason_form.tsx";
import { RequeueRisk } from "./requeue_risk.tsx";
import { failedState, tabsOf } from "./row_kinds.ts";
import { toneText } from "./state_mark.tsx";

export interface BulkProps {
  readonly kind: Kind;
  /** The initial action. */
  readonly action: "requeue" | "retry";
  readonly filter: Filter;
  readonly close: () => void;
}

const words = {
  requeue: { label: "Requeue", becomes: "will be requeued" },
  retry: { label: "Retry", becomes: "will be retried now. Their attempt count is kept" },
  discard: { label: "Discard", becomes: "will be deleted permanently" },
} satisfies Record<RowAction, object>;

/** A bulk action on all rows of a filter: preview → reason → progress. It runs on the server and continues after closing. */
export function Bulk({ kind, action: first, filter, close }: BulkProps) {
  const [action, setAction] = useState<RowAction>(first);
  const [started, setStarted] = useState<Operation>();
  return (
    <Dialog title={`${words[action].label} ${kind.many}`} isForm close={close}>
      {started ? (
        <BulkProgress kind={kind} id={started.operation_id} close={close} />
      ) : (
        <BulkForm key={action} kind={kind} action={action} filter={filter} change={setAction} started={setStarted} close={close} />
      )}
    </Dialog>
  );
}

interface BulkFormProps extends Omit<BulkProps, "action"> {
  readonly action: RowAction;
  readonly change: (action: RowAction) => void;
  readonly started: (operation: Operation) => void;
}

function BulkForm({ kind, action, filter, change, started, close }: BulkFormProps) {
  const client = useQueryClient();
  const canDiscard = useMay(kind, "discard");
  const loadPreview = () => post<BulkPreview>(kind.system, `${kind.name}/bulk/preview`, { action, filter });
  const preview = useQuery({
    queryKey: [kind.name, "preview", action, filter],
    queryFn: loadPreview,
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const start = useMutation({
    mutationFn: (reason: string) =>
      startShown({
        shown: preview.data!,
        mayShrink: action === "retry",
        preview: loadPreview,
        start: ({ set_hash, eligible }) =>
          post<Operation>(kind.system, `${kind.name}/bulk`, { action, filter, set_hash, expected: eligible, reason }),
      }),
    onSuccess: operation => {
      started(operation);
      return client.invalidateQueries({ queryKey: ["operations"] });
    },
  });
  const hasChanged = start.error instanceof ApiError && start.error.code === "SET_CHANGED";
  const refreshPreview = () => {
    start.reset();
    void preview.refetch();
  };
  if (preview.isPending) return <Skeleton rows={4} />;
  if (preview.error) return <ErrorNotice what="The preview failed." error={preview.error} retry={() => void preview.refetch()} />;
  const { eligible, ineligible } = preview.data;
  const canBeDiscarded = eligible > 0 || (ineligible[failedState(kind).name] ?? 0) > 0;
  return (
    <div className="flex flex-col gap-4">
      <PreviewSummary kind={kind} action={action} preview={preview.data} filter={filter} />
      {start.error && (
        <ErrorNotice
          what={hasChanged ? "The rows changed after the preview." : "The operation was not started."}
          error={start.error}
          {...(hasChanged ? { retry: refreshPreview } : {})}
        />
      )}
      {eligible > 0 && !hasChanged && (
        <ReasonForm
          label={`${words[action].label} ${number(eligible)}`}
          isBusy={start.isPending}
          {...(action === "discard" ? { isDangerous: true, confirmText: `discard ${eligible}` } : {})}
          act={reason => start.mutate(reason)}
          cancel={action === "discard" ? () => change("requeue") : close}
        />
      )}
      {canDiscard && action === "requeue" && canBeDiscarded && (
        <div className="flex flex-wrap items-center justify-between gap-2 border-t pt-4">
          <p className="text-soft">Not needed any more?</p>
          <button type="button" className="button danger" onClick={() => change("discard")}>
            Discard instead …
          </button>
        </div>
      )}
    </div>
  );
}

function PreviewSummary({ kind, action, preview, filter }: { kind: Kind; action: RowAction; preview: BulkPreview; filter: Filter }) {
  const { count, eligible, ineligible, sample } = preview;
  const wordOf = (status: string) =>
    tabsOf(kind)
      .find(({ name }) => name === status)
      ?.word.toLowerCase() ?? status;
  const isNever = (status: string) => action === "requeue" && status === failedState(kind).name && kind.neverRequeued !== undefined;
  const left = Object.entries(ineligible).filter(([, many]) => many > 0);
  const skipped = left.map(
    ([status, many]) => `${number(many)} ${wordOf(status)}${isNever(status) ? ` (${kind.neverRequeued} are never requeued)` : ""}`,
  );
  return (
    <>
      <p className={`text-base ${action === "discard" ? "text-failed" : ""}`}>
        <strong className="mono !text-2xl font-semibold">{number(eligible)}</strong> of {number(count)} that match {words[action].becomes}.
        {action === "discard" && ` ${keptOf(kind, eligible)}`}
      </p>
      {action === "requeue" && eligible > 0 && <BulkRisk kind={kind} many={eligible} filter={filter} />}
      <Facts
        facts={[
          ["Filter", <FilterText key="filter" kind={kind.name} filter={filter} />],
          ["Skipped", skipped.length === 0 ? "none" : skipped.join(", ")],
          [
            "Examples",
            <span key="sample" className="flex flex-wrap gap-x-3">
              {sample.map(id => (
                <Id key={id} id={id} />
              ))}
            </span>,
          ],
        ]}
      />
    </>
  );
}

function BulkRisk({ kind, many, filter }: { kind: Kind; many: number; filter: Filter }) {
  const { data } = useQuery({ ...queries.firstFailure(kind, filter), enabled: kind.name === "orders" });
  return <RequeueRisk kind={kind} many={many} {...data} />;
}

export const FilterText = ({ kind, filter }: { kind: string; filter: Filter }) => (
  <span className="line-clamp-6 break-words">{wordsOf(filter, isKindName(kind) ? kindOf(kind).states : [])}</span>
);

const pollEvery = 500;
// The outcome of the rows takes as long as their attempts.
const pollOutcomeEvery = 2000;
const everyOf = (operation: Operation | undefined) =>
  operation === undefined || operation.status === "RUNNING" ? pollEvery : isMoving(operation) ? pollOutcomeEvery : false;

/** The operation is finished. The current outcome of its rows is added if it is known. */
const summaryOf = (operation: Operation): string =>
  operation.outcome && operation.done > 0 && operation.status === "DONE"
    ? `${capital(doneWords[operation.action])}. ${verdictOf(operation).word}${isMoving(operation) ? " …" : "."}`
    : `${verdictOf(operation).word}.`;
const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1);

/** The progress of an operation, and what became of its rows. */
export function BulkProgress({ kind, id, close }: { kind: Kind; id: string; close: () => void }) {
  const client = useQueryClient();
  const { data, error } = useQuery({ ...queries.operation(kind.system, id), refetchInterval: ({ state }) => everyOf(state.data) });
  const stage = data && `${data.status} ${isMoving(data)}`;
  useEffect(() => {
    if (stage && !stage.startsWith("RUNNING")) void client.invalidateQueries({ queryKey: [kind.name] });
  }, [stage, client, kind.name]);
  return (
    <div className="flex flex-col gap-4">
      {error && <ErrorNotice what="The progress cannot be loaded. The operation continues." error={error} />}
      {data && (
        <>
          <p role="status" className={data.status === "RUNNING" ? "" : `font-medium ${toneText[verdictOf(data).tone]}`}>
            {data.status === "RUNNING" ? "Running on the server. It continues when you close this dialog." : summaryOf(data)}
          </p>
          <OperationProgress operation={data} />
        </>
      )}
      <div className="flex gap-2">
        <button type="button" className="button primary" onClick={close}>
          Close
        </button>
        <Link className="button" to="/operations/$system/$id" params={{ system: kind.system, id }} onClick={close}>
          Open the operation
        </Link>
      </div>
    </div>
  );
}
