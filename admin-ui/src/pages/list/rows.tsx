import { span } from "../../parts/format.ts";
import { Id } from "../../parts/id.tsx";
import { useIsNarrow } from "../../parts/narrow.ts";
import { failedState, isWaiting, ownerOf, type Row, type Sort, stateOf, tabsOf, typeWord } from "../../parts/row_kinds.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { Ago, useNow } from "../../parts/time.tsx";
import { type Kind, titleOf } from "../../systems.ts";
import type { Selection } from "./list_page.tsx";

export interface RowsProps {
  readonly kind: Kind;
  readonly rows: readonly Row[];
  readonly openId: string | undefined;
  readonly open: (id: string) => void;
  readonly selection: Selection | undefined;
  /** The state of the list, if one is chosen. */
  readonly status: string | undefined;
  readonly sort: Sort | undefined;
}

// With more columns of its own, the list of all states has no space left for the error.
const mostFacts = 2;

/** The columns that are useful in this state. Failed rows need the space for their error. */
function columnsOf(kind: Kind, status: string | undefined, rows: readonly Row[]) {
  const meaning = tabsOf(kind).find(({ name }) => name === status)?.meaning;
  const isFailing = meaning === "retrying" || meaning === "failed";
  const isFull = meaning === undefined && kind.facts.length > mostFacts;
  return {
    failed: isFailing,
    next: meaning === "retrying" || (!isFull && rows.some(row => isWaiting(kind, row))),
    created: meaning !== "retrying",
    duration: !isFailing && !isFull && meaning !== "waiting",
    facts: kind.facts.flatMap((fact, index) => (isFailing && fact.isMinor ? [] : [{ ...fact, index }])),
    isRetrying: meaning === "retrying",
  };
}

/** A table; on a phone a list with the main facts. */
export function Rows(props: RowsProps) {
  return useIsNarrow() ? <Cards {...props} /> : <Table {...props} />;
}

function Table({ kind, rows, openId, open, selection, status, sort }: RowsProps) {
  const isChoosing = selection !== undefined && selection.eligible > 0;
  const has = columnsOf(kind, status, rows);
  const sorted = (by: Sort) => (sort === by ? { "aria-sort": "descending" as const, className: "end text-ink" } : { className: "end" });
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
    <section className="relative max-h-[calc(100dvh-14rem)] overflow-auto" tabIndex={0} aria-label={kind.title}>
      <table className="grid-table">
        <thead>
          <tr>
            {isChoosing && (
              <th className="!w-9 !pr-0">
                <input
                  type="checkbox"
                  aria-label={`Select all ${status === failedState(kind).name ? "failed" : "that can be changed"} on this page`}
                  className="align-middle"
                  checked={selection.ids.length === selection.eligible}
                  onChange={selection.all}
                />
              </th>
            )}
            <th>State</th>
            <th>Type</th>
            <th>{titleOf(ownerOf(kind))}</th>
            {has.facts.map(({ column, title, isNumber }) => (
              <th key={column} className={isNumber ? "end" : ""}>
                {title}
              </th>
            ))}
            <th {...sorted("attempts")}>Attempts</th>
            <th className="w-full">Last error</th>
            {has.failed && <th {...sorted("failed")}>Failed</th>}
            {has.next && <th className="end">Next attempt</th>}
            {has.created && <th {...sorted("created")}>Created</th>}
            {has.duration && <th className="end">Duration</th>}
            <th>{titleOf(kind.one)}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            // The button in the first cell is the keyboard equivalent.
            <tr key={row.id} data-open={row.id === openId ? "" : undefined} className="cursor-pointer" onClick={() => open(row.id)}>
              {isChoosing && (
                // biome-ignore lint/a11y/useKeyWithClickEvents: only keeps the click from opening the row
                <td className="!pr-0" onClick={event => event.stopPropagation()}>
                  {selection.isEligible(row) && (
                    <input
                      type="checkbox"
                      aria-label={`Select ${row.id}`}
                      className="align-middle"
                      checked={selection.has(row.id)}
                      onChange={() => selection.toggle(row.id)}
                    />
                  )}
                </td>
              )}
              <td>
                <button
                  type="button"
                  className="flex"
                  aria-label={`${stateOf(kind, row).word}: open ${row.id}`}
                  onClick={() => open(row.id)}
                >
                  <StateMark state={stateOf(kind, row)} />
                </button>
              </td>
              <td>{typeWord(kind, row.type)}</td>
              <td className="mono max-w-48 truncate" title={row.user}>
                {row.user}
              </td>
              {has.facts.map(({ column, index, isNumber }) => (
                <td key={column} className={isNumber ? "mono end" : "mono max-w-40 truncate"} title={String(row.facts[index] ?? "")}>
                  {row.facts[index] ?? <span className="text-faint">–</span>}
                </td>
              ))}
              <td className={`mono end ${row.attempts > 1 ? "" : "text-faint"}`}>{row.attempts}</td>
              <td className="max-w-0 truncate text-soft" title={row.error ?? undefined}>
                {row.error}
              </td>
              {has.failed && (
                <td className="end">
                  <Ago at={row.failedAt} />
                </td>
              )}
              {has.next && (
                <td className="end">
                  <NextAttempt kind={kind} row={row} />
                </td>
              )}
              {has.created && (
                <td className="end">
                  <Ago at={row.createdAt} />
                </td>
              )}
              {has.duration && (
                <td className="end">
                  <Duration row={row} />
                </td>
              )}
              <td>
                <Id id={row.id} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}

/** The time from creation to completion. */
const Duration = ({ row: { createdAt, doneAt } }: { row: Row }) =>
  doneAt ? (
    <span className="mono text-soft">{span(Date.parse(doneAt) - Date.parse(createdAt))}</span>
  ) : (
    <span className="text-faint">–</span>
  );

/** The next attempt, or "due" if its time has come. */
function NextAttempt({ kind, row }: { kind: Kind; row: Row }) {
  const now = useNow();
  const { nextRetryAt } = row;
  if (!isWaiting(kind, row) || nextRetryAt === null) return <span className="text-faint">–</span>;
  return Date.parse(nextRetryAt) > now ? <Ago at={nextRetryAt} /> : <span className="mono text-soft">due</span>;
}

function Cards({ kind, rows, open, selection, status }: RowsProps) {
  const has = columnsOf(kind, status, rows);
  return (
    <ul>
      {rows.map(row => (
        <li key={row.id} className="flex items-start gap-3 border-b px-3 py-2.5 last:border-0">
          {selection?.isEligible(row) && (
            <input
              type="checkbox"
              aria-label={`Select ${row.id}`}
              className="mt-1 size-4"
              checked={selection.has(row.id)}
              onChange={() => selection.toggle(row.id)}
            />
          )}
          <button type="button" className="min-w-0 flex-1 text-left" onClick={() => open(row.id)}>
            <span className="flex items-center justify-between gap-2">
              <StateMark state={stateOf(kind, row)} />
              {has.isRetrying ? (
                <span className="text-faint">
                  next <NextAttempt kind={kind} row={row} />
                </span>
              ) : (
                <Ago at={has.failed ? row.failedAt : row.createdAt} />
              )}
            </span>
            <span className="mt-0.5 block truncate">
              {typeWord(kind, row.type)} <span className="mono">{row.facts[0]}</span> · <span className="mono">{row.user}</span>
            </span>
            {row.error && <span className="mt-0.5 line-clamp-2 break-words text-soft">{row.error}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}
