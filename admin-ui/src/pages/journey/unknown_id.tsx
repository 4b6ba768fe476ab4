import { useQueries, useQuery } from "@tanstack/react-query";
import { Link, Navigate } from "@tanstack/react-router";
import { match, ticket } from "../../api/matchmaking.ts";
import * as queries from "../../api/queries.ts";
import { count, sumOf } from "../../parts/format.ts";
import { EmptyState, Skeleton } from "../../parts/notices.tsx";
import { isOfUsers } from "../../parts/row_kinds.ts";
import { isUserId } from "../../parts/user_id.ts";
import { UserLinks } from "../../parts/user_links.tsx";
import { rowKinds, systems } from "../../systems.ts";
import { hasEntitlements } from "./queries.ts";

/** An id without an event: an operation, a match, a ticket, a user, or unknown. */
export function UnknownId({ id }: { id: string }) {
  const whereUuid = { enabled: isUserId(id), retry: false };
  const given = id.toLowerCase();
  const paired = useQuery({ ...match(given), ...whereUuid });
  const queued = useQuery({ ...ticket(given), ...whereUuid });
  const operations = useQueries({ queries: systems.map(system => ({ ...queries.operation(system, id), ...whereUuid })) });
  const found = systems.find((_, index) => operations[index]?.data);
  const counted = useQueries({ queries: rowKinds.map(kind => ({ ...queries.counts(kind, { user_id: id }), retry: false })) });
  const lists = rowKinds.map((kind, index) => ({ kind, all: sumOf(Object.values(counted[index]?.data?.counts ?? {})) }));
  const known = useQuery({ ...queries.account(id), enabled: isUserId(id), retry: false });
  const held = useQuery({ ...hasEntitlements(id), retry: false });
  const hits = lists.filter(({ all }) => all.count > 0);
  const isUser = held.data || hits.some(({ kind }) => isOfUsers(kind));
  if (found) return <Navigate to="/operations/$system/$id" params={{ system: found, id }} replace />;
  if (paired.data) return <Navigate to="/matchmaking/matches/$id" params={{ id: given }} replace />;
  if (queued.data) return <Navigate to="/matchmaking/tickets/$id" params={{ id: given }} replace />;
  if (known.data) return <Navigate to="/users/$id" params={{ id: known.data.user_id }} replace />;
  if ([known, paired, queued].some(({ isLoading }) => isLoading) || counted.some(({ isPending }) => isPending) || held.isPending)
    return <Skeleton rows={3} />;
  return (
    <div className="panel">
      {hits.length > 0 || held.data ? (
        <EmptyState title={isUser ? "This id is a user" : "This id is a client"}>
          <span className="flex flex-wrap justify-center gap-4">
            {hits.map(({ kind, all }) => (
              <Link key={kind.name} to="/$kind" params={{ kind: kind.name }} search={{ user_id: id }} className="button">
                {kind.title}: {count(all)}
              </Link>
            ))}
            {isUser && <UserLinks user={id} like="button" />}
          </span>
        </EmptyState>
      ) : (
        <EmptyState title="Unknown id">
          No event, notification, order, match, ticket, trace, request key, purchase, operation or user has this id. Expired keys, ended
          tickets, and delivered events and notifications after their retention, are deleted.
        </EmptyState>
      )}
    </div>
  );
}
