import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { eligibleState } from "../../../../server/kernel/operator/row_kind.ts";
import type { Operation } from "../../api/answers.ts";
import { post } from "../../api/client.ts";
import { useLive } from "../../api/live.ts";
import * as queries from "../../api/queries.ts";
import { useCan } from "../../api/role.ts";
import { Actor } from "../../parts/actor.tsx";
import { FilterText } from "../../parts/bulk.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Facts, Section } from "../../parts/facts.tsx";
import { number } from "../../parts/format.ts";
import { Id } from "../../parts/id.tsx";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { doneWords, outcomes, partsOf } from "../../parts/operation_outcome.ts";
import { OperationState } from "../../parts/operation_state.tsx";
import { OperationProgress } from "../../parts/progress.tsx";
import { ReasonForm } from "../../parts/reason_form.tsx";
import { rowsNamed, type State } from "../../parts/row_kinds.ts";
import { StateMark, toneText } from "../../parts/state_mark.tsx";
import { At } from "../../parts/time.tsx";
import { isKindName, isSystem, kindOf, type System, systems } from "../../systems.ts";
import type { OperationItem } from "./queries.ts";
import { operationItems } from "./queries.ts";

export function OperationDrawer() {
  const { system, id } = useParams({ from: "/operations/$system/$id" });
  if (!isSystem(system)) throw new Error(`there is no system ${system} with operations; there are ${systems.join(", ")}`);
  return <OfSystem system={system} id={id} />;
}

function OfSystem({ system, id }: { system: System; id: string }) {
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery({ ...queries.operation(system, id), ...useLive() });
  return (
    <Drawer
      title={data ? `Bulk ${data.action} of ${rowsNamed(data.kind)}` : "Operation"}
      head={<Id id={id} whole />}
      close={() => void navigate({ to: "/operations" })}
    >
      {error && <ErrorNotice what="This operation cannot be shown." error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={10} />}
      {data && (
        <>
          {!isKindName(data.kind) && <ErrorNotice what="Unknown row kind:" error={data.kind} />}
          <StoppedNotice operation={data} />
          <Cancel system={system} operation={data} />
          <Section title="State">
            <div className="mb-3">
              <OperationProgress operation={data} />
            </div>
            <Facts
              facts={[
                ["State", <OperationState key="state" operation={data} />],
                [
                  "Reason",
                  <span key="reason" className="break-words">
                    {data.reason}
                  </span>,
                ],
                ["By", <Actor key="actor" id={data.actor} />],
                ["Filter", <FilterText key="filter" kind={data.kind} filter={data.filter} />],
                ["Started", <At key="started" at={data.created_at} />],
                ["Finished", <At key="finished" at={data.finished_at} />],
                ...(data.cancelled_by ? [["Cancelled by", <Actor key="cancelled" id={data.cancelled_by} />] as const] : []),
              ]}
            />
          </Section>
          <Items system={system} operation={data} />
        </>
      )}
    </Drawer>
  );
}

/** The reason why the operation is paused or stopped, and the next step. */
function StoppedNotice({ operation }: { operation: Operation }) {
  const { kind, status, action, waits, stop_reason, total, done, skipped, failed, filter } = operation;
  const left = total - done - skipped - failed;
  if (waits)
    return (
      <p role="status" className="mb-6 rounded-md border p-4 text-retry">
        Paused: the gateway has not recently confirmed the permission of the operator who started it. It resumes automatically.
      </p>
    );
  if (status !== "STOPPED") return null;
  return (
    <div role="status" className="mb-6 flex flex-col items-start gap-3 rounded-md border p-4">
      <p className="w-full break-words text-failed">Stopped: {stop_reason}.</p>
      {left > 0 && isKindName(kind) && (
        <p>
          {number(left)} {left === 1 ? "row was" : "rows were"} not processed.{" "}
          {action === "resend" ? (
            <Link to="/consistency" className="link">
              Resend what is missing now
            </Link>
          ) : (
            <Link to="/$kind" params={{ kind }} search={{ ...filter, status: eligibleState(kindOf(kind), action).name }} className="link">
              Start again with the rows that match now
            </Link>
          )}
        </p>
      )}
    </div>
  );
}

function Cancel({ system, operation }: { system: System; operation: Operation }) {
  const client = useQueryClient();
  const canAct = useCan("OPERATOR");
  const [isFormOpen, setFormOpen] = useState(false);
  const cancel = useMutation({
    mutationFn: (reason: string) => post(system, `operations/${operation.operation_id}/cancel`, { reason }),
    onSuccess: () => {
      setFormOpen(false);
      return client.invalidateQueries();
    },
  });
  if (!canAct || operation.status !== "RUNNING") return null;
  return (
    <div className="mb-6 flex flex-col items-start gap-3 rounded-md border p-4">
      {cancel.error && <ErrorNotice what="Not cancelled." error={cancel.error} />}
      {isFormOpen ? (
        <ReasonForm
          label="Cancel the rest"
          isBusy={cancel.isPending}
          isDangerous
          act={reason => cancel.mutate(reason)}
          cancel={() => setFormOpen(false)}
        />
      ) : (
        <button type="button" className="button danger" onClick={() => setFormOpen(true)}>
          Cancel the rest …
        </button>
      )}
    </div>
  );
}

type Mark = Pick<State, "tone" | "word">;
const results: Record<OperationItem["result"], Mark> = {
  PENDING: { tone: "pending", word: "Waiting" },
  DONE: { tone: "done", word: "Done" },
  SKIPPED: { tone: "retry", word: "Skipped" },
  FAILED: { tone: "failed", word: "Refused" },
};

/** The current outcome of the row, or the result of the action. */
const markOf = ({ result, outcome }: OperationItem): Mark => (outcome ? outcomes[outcome] : results[result]);

type Chosen = { readonly result?: string; readonly outcome?: string };
interface Choice extends Mark {
  readonly search: Chosen;
  readonly count: number;
}

/** The filters of the rows with their counts. */
function choicesOf(operation: Operation): Choice[] {
  const { action, total, done, skipped, failed, outcome } = operation;
  const left = total - done - skipped - failed;
  const became = partsOf(operation).map(({ name, ...part }) => ({ ...part, search: { outcome: name } }));
  return [
    { tone: "pending", word: "All", count: total, search: {} } as const,
    ...became,
    ...(outcome ? [] : [{ tone: "done", word: capital(doneWords[action]), count: done, search: { result: "DONE" } } as const]),
    { ...results.SKIPPED, count: skipped, search: { result: "SKIPPED" } },
    { ...results.FAILED, count: failed, search: { result: "FAILED" } },
    { ...results.PENDING, count: left, search: { result: "PENDING" } },
  ].filter(({ count, search }) => count > 0 || Object.keys(search).length === 0);
}
const capital = (word: string) => word[0]!.toUpperCase() + word.slice(1);

function Items({ system, operation }: { system: System; operation: Operation }) {
  const search = useSearch({ from: "/operations/$system/$id" });
  const navigate = useNavigate({ from: "/operations/$system/$id" });
  const { data, error, hasNextPage, fetchNextPage } = useInfiniteQuery({
    ...operationItems(system, operation.operation_id, search),
    ...useLive(),
  });
  const items = data?.pages.flatMap(page => page.items) ?? [];
  return (
    <Section title="Rows">
      <fieldset aria-label="Rows shown" className="mb-3 flex flex-wrap gap-1.5">
        {choicesOf(operation).map(({ word, tone, count, search: chosen }) => (
          <button
            key={word}
            type="button"
            aria-pressed={search.result === chosen.result && search.outcome === chosen.outcome}
            onClick={() => void navigate({ search: chosen })}
            className="inline-flex min-h-7 items-center gap-1.5 rounded-full border bg-panel px-3 hover:bg-raised aria-pressed:border-accent aria-pressed:font-semibold"
          >
            {word}{" "}
            <span className={`mono ${toneText[tone]}`}>
              {number(count)}
              {chosen.outcome && operation.outcome?.more ? "+" : ""}
            </span>
          </button>
        ))}
      </fieldset>
      {error && <ErrorNotice what="The rows cannot be listed." error={error} />}
      {data && items.length === 0 && <p className="text-faint">{hasNextPage ? "No match in the first rows." : "None."}</p>}
      <ul className="overflow-hidden rounded border empty:hidden">
        {items.map(item => (
          <li key={item.subject} className="flex flex-wrap items-center gap-x-4 gap-y-0.5 border-b px-3 py-1.5 last:border-0">
            <span className="w-28">
              <StateMark state={markOf(item)} />
            </span>
            {isKindName(operation.kind) ? (
              <Link to="/$kind/$id" params={{ kind: operation.kind, id: item.subject }} className="mono link min-w-0 break-all">
                {item.subject}
              </Link>
            ) : (
              <Id id={item.subject} whole />
            )}
            {item.note && <span className={item.result === "FAILED" ? "min-w-0 break-words text-failed" : "text-soft"}>{item.note}</span>}
            {item.error && <span className="line-clamp-2 w-full min-w-0 break-words text-soft">{item.error}</span>}
          </li>
        ))}
      </ul>
      {hasNextPage && (
        <button type="button" className="button mt-3" onClick={() => void fetchNextPage()}>
          More
        </button>
      )}
    </Section>
  );
}
