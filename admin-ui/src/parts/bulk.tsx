import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import { type BulkAction, type Filter, type Operation, type Preview, Refusal, tell } from "../api.ts";
import { number } from "../format.ts";
import type { Kind } from "../kinds.ts";
import * as queries from "../queries.ts";
import { Question } from "./drawer.tsx";
import { Facts } from "./facts.tsx";
import { Id } from "./id.tsx";
import { OperationProgress } from "./progress.tsx";
import { ReasonForm } from "./reason_form.tsx";
import { Skeleton, Trouble } from "./trouble.tsx";

export interface BulkProps {
  readonly kind: Kind;
  readonly action: BulkAction;
  readonly filter: Filter;
  readonly close: () => void;
}

/** All that match a filter: what it would touch → why → how far it is. The server does it; closing this stops nothing. */
export function Bulk({ kind, action, filter, close }: BulkProps) {
  const client = useQueryClient();
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
    onSuccess: () => client.invalidateQueries({ queryKey: ["operations"] }),
  });
  const hasChanged = start.error instanceof Refusal && start.error.code === "SET_CHANGED";
  const lookAgain = () => {
    start.reset();
    void preview.refetch();
  };
  return (
    <Question title={`Requeue ${kind.title.toLowerCase()}`} close={close}>
      {preview.isPending && <Skeleton rows={4} />}
      {preview.error && <Trouble what="No preview." error={preview.error} retry={() => void preview.refetch()} />}
      {start.data && <Running kind={kind} id={start.data.operation_id} close={close} />}
      {preview.data && !start.data && (
        <div className="flex flex-col gap-4">
          <Shown kind={kind} preview={preview.data} filter={filter} />
          {start.error && (
            <Trouble
              what={hasChanged ? "Others were faster." : "Not started."}
              error={start.error}
              {...(hasChanged ? { retry: lookAgain } : {})}
            />
          )}
          {preview.data.eligible > 0 && !hasChanged && (
            <ReasonForm
              say={`Requeue ${number(preview.data.eligible)}`}
              isBusy={start.isPending}
              act={reason => start.mutate(reason)}
              cancel={close}
            />
          )}
        </div>
      )}
    </Question>
  );
}

function Shown({ kind, preview, filter }: { kind: Kind; preview: Preview; filter: Filter }) {
  const { count, eligible, ineligible, sample } = preview;
  const wordOf = (status: string) => kind.states.find(({ name }) => name === status)?.word.toLowerCase() ?? status;
  const left = Object.entries(ineligible).filter(([, many]) => many > 0);
  return (
    <>
      <p className="text-base">
        <strong className="mono !text-2xl font-semibold">{number(eligible)}</strong> of {number(count)} that match will go back to pending.
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

export function FilterText({ filter }: { filter: Filter }) {
  return (
    <span className="mono break-all">
      {Object.entries(filter)
        .map(([name, value]) => `${name}=${value}`)
        .join("  ")}
    </span>
  );
}

const pollEvery = 500;

function Running({ kind, id, close }: { kind: Kind; id: string; close: () => void }) {
  const client = useQueryClient();
  const { data, error } = useQuery({
    ...queries.operation(kind.system, id),
    refetchInterval: ({ state }) => {
      if (state.data === undefined || state.data.status === "RUNNING") return pollEvery;
      void client.invalidateQueries({ queryKey: [kind.name] });
      return false;
    },
  });
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
