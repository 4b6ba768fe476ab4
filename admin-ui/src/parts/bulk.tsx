import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { useEffect, useState } from "react";
import { type BulkAction, type Filter, type Operation, type Preview, Refusal, tell } from "../api.ts";
import { wordsOf } from "../filter.ts";
import { number } from "../format.ts";
import type { Kind } from "../kinds.ts";
import { useCan } from "../me.ts";
import * as queries from "../queries.ts";
import { Question } from "./drawer.tsx";
import { Facts } from "./facts.tsx";
import { Id } from "./id.tsx";
import { OperationProgress } from "./progress.tsx";
import { ReasonForm } from "./reason_form.tsx";
import { Skeleton, Trouble } from "./trouble.tsx";

export interface BulkProps {
  readonly kind: Kind;
  readonly filter: Filter;
  readonly close: () => void;
}

const words = {
  requeue: { say: "Requeue", becomes: "will go back to pending" },
  discard: { say: "Discard", becomes: "will be deleted for good. Only the audit keeps what they were" },
} satisfies Record<BulkAction, object>;

/** All that match a filter: what it would touch → why → how far it is. The server does it; closing this stops nothing. */
export function Bulk({ kind, filter, close }: BulkProps) {
  const [action, setAction] = useState<BulkAction>("requeue");
  const [started, setStarted] = useState<Operation>();
  return (
    <Question title={`${words[action].say} ${kind.title.toLowerCase()}`} isForm close={close}>
      {started ? (
        <Running kind={kind} id={started.operation_id} close={close} />
      ) : (
        <Asked key={action} kind={kind} action={action} filter={filter} change={setAction} started={setStarted} close={close} />
      )}
    </Question>
  );
}

interface AskedProps extends BulkProps {
  readonly action: BulkAction;
  readonly change: (action: BulkAction) => void;
  readonly started: (operation: Operation) => void;
}

function Asked({ kind, action, filter, change, started, close }: AskedProps) {
  const client = useQueryClient();
  const isAdmin = useCan("ADMIN");
  const preview = useQuery({
    queryKey: [kind.name, "preview", action, filter],
    queryFn: () => tell<Preview>(kind.system, `${kind.name}/bulk/preview`, { action, filter }),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const start = useMutation({
    mutationFn: (reason: string) => {
      const { set_hash, eligible } = preview.data!;
      return tell<Operation>(kind.system, `${kind.name}/bulk`, { action, filter, set_hash, expected: eligible, reason });
    },
    onSuccess: operation => {
      started(operation);
      return client.invalidateQueries({ queryKey: ["operations"] });
    },
  });
  const hasChanged = start.error instanceof Refusal && start.error.code === "SET_CHANGED";
  const lookAgain = () => {
    start.reset();
    void preview.refetch();
  };
  if (preview.isPending) return <Skeleton rows={4} />;
  if (preview.error) return <Trouble what="No preview." error={preview.error} retry={() => void preview.refetch()} />;
  const { eligible } = preview.data;
  return (
    <div className="flex flex-col gap-4">
      <Shown kind={kind} action={action} preview={preview.data} filter={filter} />
      {start.error && (
        <Trouble
          what={hasChanged ? "Others were faster." : "Not started."}
          error={start.error}
          {...(hasChanged ? { retry: lookAgain } : {})}
        />
      )}
      {eligible > 0 && !hasChanged && (
        <ReasonForm
          say={`${words[action].say} ${number(eligible)}`}
          isBusy={start.isPending}
          {...(action === "discard" ? { isDangerous: true, typed: `discard ${eligible}` } : {})}
          act={reason => start.mutate(reason)}
          cancel={action === "discard" ? () => change("requeue") : close}
        />
      )}
      {isAdmin && action === "requeue" && eligible > 0 && (
        <div className="flex flex-wrap items-center justify-between gap-2 border-t pt-4">
          <p className="text-soft">Nobody needs them any more?</p>
          <button type="button" className="button danger" onClick={() => change("discard")}>
            Discard instead …
          </button>
        </div>
      )}
    </div>
  );
}

function Shown({ kind, action, preview, filter }: { kind: Kind; action: BulkAction; preview: Preview; filter: Filter }) {
  const { count, eligible, ineligible, sample } = preview;
  const wordOf = (status: string) => kind.states.find(({ name }) => name === status)?.word.toLowerCase() ?? status;
  const left = Object.entries(ineligible).filter(([, many]) => many > 0);
  return (
    <>
      <p className={`text-base ${action === "discard" ? "text-failed" : ""}`}>
        <strong className="mono !text-2xl font-semibold">{number(eligible)}</strong> of {number(count)} that match {words[action].becomes}.
      </p>
      <Facts
        facts={[
          ["Filter", <FilterText key="filter" filter={filter} />],
          ["Left alone", left.length === 0 ? "none" : left.map(([status, many]) => `${number(many)} ${wordOf(status)}`).join(", ")],
          [
            "For example",
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

export const FilterText = ({ filter }: { filter: Filter }) => <span className="line-clamp-6 break-words">{wordsOf(filter)}</span>;

const pollEvery = 500;
const isOver = (operation: Operation | undefined) => operation !== undefined && operation.status !== "RUNNING";

function Running({ kind, id, close }: { kind: Kind; id: string; close: () => void }) {
  const client = useQueryClient();
  const { data, error } = useQuery({
    ...queries.operation(kind.system, id),
    refetchInterval: ({ state }) => (isOver(state.data) ? false : pollEvery),
  });
  const hasEnded = isOver(data);
  useEffect(() => {
    if (hasEnded) void client.invalidateQueries({ queryKey: [kind.name] });
  }, [hasEnded, client, kind.name]);
  const says = { RUNNING: "Running on the server. It goes on when you close this.", DONE: "Done.", CANCELLED: "Cancelled." };
  return (
    <div className="flex flex-col gap-4">
      {error && <Trouble what="Its progress is not known now; it goes on." error={error} />}
      {data && (
        <>
          <p role="status" className={data.status === "DONE" ? "font-medium text-done" : ""}>
            {says[data.status]}
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
