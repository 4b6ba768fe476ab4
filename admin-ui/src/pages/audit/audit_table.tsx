import { Link } from "@tanstack/react-router";
import { operationOf } from "../../parts/action_titles.ts";
import { Actor } from "../../parts/actor.tsx";
import { Id } from "../../parts/id.tsx";
import { useIsNarrow } from "../../parts/narrow.ts";
import { Ago } from "../../parts/time.tsx";
import { type AuditRow, describeAction, isOfRole, operationIn } from "./view.ts";

/** Links to the operation and its items, or to the journey of the row. */
function RowLinks({ row }: { row: AuditRow }) {
  const { subject, system } = row;
  const operation = operationIn(row) ?? operationOf(row);
  return (
    <span className="inline-flex gap-3">
      {operation && (
        <Link to="/operations/$system/$id" params={{ system, id: operation }} className="link" aria-label={`Operation ${operation}`}>
          Operation
        </Link>
      )}
      {operationIn(row) ? (
        <Link to="/audit" search={{ operation: subject }} className="link" aria-label={`Items of operation ${subject}`}>
          Items
        </Link>
      ) : isOfRole(row) ? null : (
        <Link to="/journey/$id" params={{ id: subject }} className="link" aria-label={`Journey of ${subject}`}>
          Journey
        </Link>
      )}
    </span>
  );
}

/** A table; on a phone a list. */
export function AuditTable({ rows }: { rows: readonly AuditRow[] }) {
  return useIsNarrow() ? <Cards rows={rows} /> : <Table rows={rows} />;
}

const Cards = ({ rows }: { rows: readonly AuditRow[] }) => (
  <ul>
    {rows.map(row => (
      <li key={row.action_id} className="flex flex-col gap-0.5 border-b px-3 py-2.5 last:border-0">
        <span className="flex justify-between gap-2">
          <span className="line-clamp-2 font-medium">{describeAction(row)}</span>
          <Ago at={row.at} />
        </span>
        <span className="line-clamp-4">{row.reason}</span>
        <span className="flex flex-wrap justify-between gap-x-3 text-faint">
          <Actor id={row.actor} />
          <RowLinks row={row} />
        </span>
      </li>
    ))}
  </ul>
);

const Table = ({ rows }: { rows: readonly AuditRow[] }) => (
  <table className="grid-table">
    <thead>
      <tr>
        <th>Time</th>
        <th>Actor</th>
        <th>Action</th>
        <th>Subject</th>
        <th className="w-full">Reason</th>
        <th>Links</th>
      </tr>
    </thead>
    <tbody>
      {rows.map(row => (
        <tr key={row.action_id}>
          <td>
            <Ago at={row.at} />
          </td>
          <td>
            <Actor id={row.actor} />
          </td>
          <td title={row.action}>{describeAction(row)}</td>
          <td>{isOfRole(row) ? <Id id={row.subject} name={row.subject} /> : <Id id={row.subject} />}</td>
          <td className="max-w-0 truncate" title={row.reason}>
            {row.reason}
          </td>
          <td>
            <RowLinks row={row} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
);
