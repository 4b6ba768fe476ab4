import { span } from "../format.ts";
import { type Kind, type Row, stateOf, verbOf } from "../kinds.ts";
import { Id } from "../parts/id.tsx";
import { useIsNarrow } from "../parts/narrow.ts";
import { StateMark } from "../parts/state.tsx";
import { Ago } from "../parts/time.tsx";
import type { Selection } from "./list_page.tsx";

export interface RowsProps {
  readonly kind: Kind;
  readonly rows: readonly Row[];
  readonly openId: string | undefined;
  readonly open: (id: string) => void;
  readonly selection: Selection | undefined;
}

/** A table; on a phone a list of the facts that matter. */
export function Rows(props: RowsProps) {
  return useIsNarrow() ? <Cards {...props} /> : <Table {...props} />;
}

function Table({ kind, rows, openId, open, selection }: RowsProps) {
  const isChoosing = selection !== undefined && selection.eligible > 0;
  const hasItem = kind.name === "outbox";
  // What failed took no time, and its error needs the room.
  const isOver = rows.some(({ doneAt }) => doneAt !== null);
  const isWaiting = rows.some(({ status }) => status === "PENDING");
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard
    <section className="max-h-[calc(100dvh-14rem)] overflow-auto" tabIndex={0} aria-label={kind.title}>
      <table className="grid-table">
        <thead>
          <tr>
            {isChoosing && (
              <th className="!w-9 !pr-0">
                <input
                  type="checkbox"
                  aria-label="Select all failed on this page"
                  className="align-middle"
                  checked={selection.ids.length === selection.eligible}
                  onChange={selection.all}
                />
              </th>
            )}
            <th>State</th>
            <th>Type</th>
            <th>User</th>
            {hasItem && <th>Item</th>}
            <th className="end">Version</th>
            <th className="end">Attempts</th>
            <th className="w-full">Last error</th>
            <th className="end">Created</th>
            {isOver && <th className="end">Took</th>}
            {isWaiting && <th className="end">Next attempt</th>}
            <th>{kind.name === "outbox" ? "Event" : "Notification"}</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            // The button in the first cell does the same for who has no pointer.
            <tr key={row.id} data-open={row.id === openId ? "" : undefined} className="cursor-pointer" onClick={() => open(row.id)}>
              {isChoosing && (
                // biome-ignore lint/a11y/useKeyWithClickEvents: only keeps the click from opening the row
                <td className="!pr-0" onClick={event => event.stopPropagation()}>
                  {row.status === "FAILED" && (
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
              <td>{verbOf(row.type)}</td>
              <td className="mono max-w-48 truncate" title={row.user}>
                {row.user}
              </td>
              {hasItem && (
                <td className="mono max-w-40 truncate" title={row.item ?? undefined}>
                  {row.item}
                </td>
              )}
              <td className="mono end">{row.version}</td>
              <td className={`mono end ${row.attempts > 1 ? "" : "text-faint"}`}>{row.attempts}</td>
              <td className="max-w-0 truncate text-soft" title={row.error ?? undefined}>
                {row.error}
              </td>
              <td className="end">
                <Ago at={row.createdAt} />
              </td>
              {isOver && (
                <td className="end">
                  <Took row={row} />
                </td>
              )}
              {isWaiting && (
                <td className="end">
                  <NextAttempt row={row} />
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

/** How long it took to the end. */
function Took({ row: { createdAt, doneAt } }: { row: Row }) {
  if (!doneAt) return <span className="text-faint">–</span>;
  return <span className="mono text-soft">{span(Date.parse(doneAt) - Date.parse(createdAt))}</span>;
}

function NextAttempt({ row: { status, nextRetryAt } }: { row: Row }) {
  const isDue = status === "PENDING" && nextRetryAt !== null && Date.parse(nextRetryAt) <= Date.now();
  return isDue ? <span className="text-soft">due</span> : <Ago at={status === "PENDING" ? nextRetryAt : null} />;
}

function Cards({ kind, rows, open, selection }: RowsProps) {
  return (
    <ul>
      {rows.map(row => (
        <li key={row.id} className="flex items-start gap-3 border-b px-3 py-2.5 last:border-0">
          {selection && row.status === "FAILED" && (
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
              <Ago at={row.createdAt} />
            </span>
            <span className="mt-0.5 block truncate">
              {verbOf(row.type)} · <span className="mono">{row.user}</span>
            </span>
            {row.error && <span className="mt-0.5 line-clamp-2 break-words text-soft">{row.error}</span>}
          </button>
        </li>
      ))}
    </ul>
  );
}
