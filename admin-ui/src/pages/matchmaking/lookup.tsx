import { useQuery } from "@tanstack/react-query";
import { Link, Navigate } from "@tanstack/react-router";
import { type FormEvent, useId, useState } from "react";
import { match, ticket } from "../../api/matchmaking.ts";
import { account } from "../../api/queries.ts";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { isEmail, isUserId } from "../../parts/user_id.ts";
import { UserLinks } from "../../parts/user_links.tsx";
import { orMissing, playerTickets } from "./queries.ts";
import { listOnly, type MatchmakingView } from "./view.ts";

interface LookupFormProps {
  readonly find: string | undefined;
  readonly open: (id: string) => void;
  readonly clear: () => void;
}

/** One field for the id of a ticket, a match or a player. */
export function LookupForm({ find, open, clear }: LookupFormProps) {
  const [text, setText] = useState(find ?? "");
  const id = useId();
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (text.trim() !== "") open(text.trim());
  }
  return (
    <form onSubmit={submit} className="flex w-full max-w-2xl flex-wrap items-center gap-2">
      <label htmlFor={id} className="font-medium">
        Look up
      </label>
      <input
        id={id}
        className="field mono min-w-0 !w-auto flex-1"
        placeholder="Id of a ticket, match or player"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={text}
        onChange={event => setText(event.target.value)}
      />
      <button type="submit" className="button" disabled={text.trim() === ""}>
        Look up
      </button>
      {find !== undefined && (
        <button type="button" className="link" onClick={clear}>
          Clear
        </button>
      )}
    </form>
  );
}

/** Opens what has this id, or says what was searched and where else to look. */
export function Found({ id, view }: { id: string; view: MatchmakingView }) {
  const isUuid = isUserId(id);
  const given = isUuid ? id.toLowerCase() : id;
  const once = { retry: false, enabled: isUuid };
  const results = [
    useQuery({ ...match(given), ...once }),
    useQuery({ ...ticket(given), ...once }),
    useQuery({ ...playerTickets(given), retry: false }),
  ] as const;
  const known = useQuery({ ...account(given), ...once });
  const [found, queued, tickets] = results;
  const search = listOnly(view);
  if (found.data) return <Navigate to="/matchmaking/matches/$id" params={{ id: given }} search={search} replace />;
  if (queued.data) return <Navigate to="/matchmaking/tickets/$id" params={{ id: given }} search={search} replace />;
  if (tickets.data && tickets.data.length > 0)
    return <Navigate to="/matchmaking/players/$id" params={{ id: given }} search={search} replace />;
  const failed = results.map(({ error }) => error && orMissing(error)).find(error => error);
  return (
    <section className="panel overflow-hidden" aria-label="Result">
      {failed ? (
        <ErrorNotice what="The id cannot be looked up." error={failed} retry={() => results.forEach(one => void one.refetch())} />
      ) : [...results, known].some(({ isLoading }) => isLoading) ? (
        <Skeleton rows={3} />
      ) : known.data ? (
        <EmptyState title={`${known.data.display_name ?? known.data.email ?? "This user"} has no ticket`}>
          <p className="mb-2">The user has not joined a queue lately. {kept}</p>
          <span className="flex flex-wrap justify-center gap-3">
            <Link to="/users/$id" params={{ id: known.data.user_id }} className="button">
              User
            </Link>
            <UserLinks user={known.data.user_id} like="button" />
          </span>
        </EmptyState>
      ) : (
        <NothingFound id={id} />
      )}
    </section>
  );
}

const kept = "A ticket is deleted some time after its end (TICKET_KEEP), and of each mode the newest 1,000 matches are kept.";

function NothingFound({ id }: { id: string }) {
  return (
    <EmptyState title="Nothing found">
      <p className="mb-2">
        No ticket, match or player has the id <span className="mono break-all">{id}</span>. {kept}
      </p>
      {isEmail(id) ? (
        <Link to="/users" search={{ search: id, open: "only" }} className="link">
          Look for a user with this e-mail address
        </Link>
      ) : (
        <Link to="/journey/$id" params={{ id }} className="link">
          Look for this id everywhere
        </Link>
      )}
    </EmptyState>
  );
}
