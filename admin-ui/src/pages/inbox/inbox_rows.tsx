import { Link } from "@tanstack/react-router";
import { Verbatim } from "../../parts/facts.tsx";
import { noticeText } from "../../parts/notice_words.ts";
import { stateOf } from "../../parts/row_kinds.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { Ago } from "../../parts/time.tsx";
import { kindOf } from "../../systems.ts";
import type { InboxNotification } from "./queries.ts";

export function InboxRows({ rows }: { rows: readonly InboxNotification[] }) {
  return (
    <ul aria-label="Notifications">
      {rows.map(row => (
        <InboxRow key={row.notification_id} row={row} />
      ))}
    </ul>
  );
}

/** Marks unread notifications, and notifications that the user does not see. */
function InboxRow({ row }: { row: InboxNotification }) {
  const arrived = row.position !== null;
  const isUnread = arrived && row.read_at === null;
  const { attempt_count: attempts = 0, last_error: error = null } = "attempt_count" in row ? row : {};
  return (
    <li className="grid grid-cols-[0.75rem_minmax(0,1fr)] gap-x-3 border-b px-4 py-3 last:border-0">
      <span className="pt-1.5">{isUnread && <span className="block size-2 rounded-full bg-accent" />}</span>
      <div className="flex min-w-0 flex-col gap-0.5">
        <p className="flex flex-wrap items-baseline justify-between gap-x-4">
          <span className={`min-w-0 break-words ${isUnread ? "font-semibold" : arrived ? "" : "text-faint italic"}`}>
            {isUnread && <span className="sr-only">Unread: </span>}
            {noticeText(row)}
          </span>
          <Ago at={row.sent_at ?? row.created_at} />
        </p>
        <p className="flex flex-wrap items-center gap-x-4 gap-y-0.5">
          <StateMark
            state={stateOf(kindOf("notifications"), { status: row.status, attempts, stale: row.stale })}
            isQuiet={arrived && !row.stale}
          />
          {!arrived && <span className="text-soft">The user does not see this.</span>}
          {row.stale && <span className="text-soft">A newer version had already arrived.</span>}
          {row.read_at && (
            <span className="text-faint">
              read <Ago at={row.read_at} />
            </span>
          )}
          <Link to="/journey/$id" params={{ id: row.event_id }} className="link" aria-label={`Journey: ${noticeText(row)}`}>
            Journey
          </Link>
          <Link
            to="/$kind/$id"
            params={{ kind: "notifications", id: row.notification_id }}
            className="link"
            aria-label={`Details: ${noticeText(row)}`}
          >
            Details
          </Link>
        </p>
        {!arrived && error && <p className="mono break-words text-failed">{error}</p>}
        <details>
          <summary className="w-fit text-faint">Payload</summary>
          <Verbatim text={JSON.stringify(row.payload, null, 2)} />
        </details>
      </div>
    </li>
  );
}
