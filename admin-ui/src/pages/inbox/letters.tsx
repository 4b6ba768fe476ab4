import { Link } from "@tanstack/react-router";
import { Verbatim } from "../../parts/facts.tsx";
import { notifications, stateOf } from "../../parts/kinds.ts";
import { StateMark } from "../../parts/state.tsx";
import { Ago } from "../../parts/time.tsx";
import type { Letter } from "./queries.ts";

/** As the user's own page says it. */
const sentences: Record<string, (item: string) => string> = {
  EntitlementGranted: item => `You were granted ${item}.`,
  EntitlementRevoked: item => `${item} was taken back.`,
};

function textOf({ type, payload }: Letter): string {
  const item = (payload as { stock_keeping_unit?: unknown } | null)?.stock_keeping_unit;
  return sentences[type]?.(String(item ?? "something")) ?? type;
}

export function Letters({ letters }: { letters: readonly Letter[] }) {
  return (
    <ul aria-label="Notifications">
      {letters.map(letter => (
        <LetterLine key={letter.notification_id} letter={letter} />
      ))}
    </ul>
  );
}

/** An unread one has its mark; one that did not arrive says that the user does not see it. */
function LetterLine({ letter }: { letter: Letter }) {
  const arrived = letter.position !== null;
  const isUnread = arrived && letter.read_at === null;
  const attempts = letter.attempt_count ?? 0;
  return (
    <li className="grid grid-cols-[0.75rem_minmax(0,1fr)] gap-x-3 border-b px-4 py-3 last:border-0">
      <span className="pt-1.5">{isUnread && <span className="block size-2 rounded-full bg-accent" />}</span>
      <div className="flex min-w-0 flex-col gap-0.5">
        <p className="flex flex-wrap items-baseline justify-between gap-x-4">
          <span className={`min-w-0 break-words ${isUnread ? "font-semibold" : arrived ? "" : "text-faint italic"}`}>
            {isUnread && <span className="sr-only">Unread: </span>}
            {textOf(letter)}
          </span>
          <Ago at={letter.sent_at ?? letter.created_at} />
        </p>
        <p className="flex flex-wrap items-center gap-x-4 gap-y-0.5">
          <StateMark
            state={stateOf(notifications, { status: letter.status, attempts, stale: letter.stale })}
            isQuiet={arrived && !letter.stale}
          />
          {!arrived && <span className="text-soft">The user does not see this.</span>}
          {letter.stale && <span className="text-soft">A newer version was known when it came.</span>}
          {letter.read_at && (
            <span className="text-faint">
              read <Ago at={letter.read_at} />
            </span>
          )}
          <Link to="/journey/$id" params={{ id: letter.event_id }} className="link" aria-label={`Journey: ${textOf(letter)}`}>
            Journey
          </Link>
          <Link to="/notifications/$id" params={{ id: letter.notification_id }} className="link" aria-label={`Details: ${textOf(letter)}`}>
            Details
          </Link>
        </p>
        {!arrived && letter.last_error && <p className="mono break-words text-failed">{letter.last_error}</p>}
        <details>
          <summary className="w-fit text-faint">Payload</summary>
          <Verbatim text={JSON.stringify(letter.payload, null, 2)} />
        </details>
      </div>
    </li>
  );
}
