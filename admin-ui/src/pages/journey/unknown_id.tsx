import { useQuery } from "@tanstack/react-query";
import { Link, Navigate } from "@tanstack/react-router";
import type { Counts } from "../../api/answers.ts";
import * as queries from "../../api/queries.ts";
import { count } from "../../parts/format.ts";
import { type Kind, notifications, outbox } from "../../parts/kinds.ts";
import { EmptyState, Skeleton } from "../../parts/notices.tsx";
import { isUserId } from "../../parts/user_id.ts";
import { UserLinks } from "../../parts/user_links.tsx";
import type { System } from "../../systems.ts";
import { hasEntitlements } from "./queries.ts";

const all = ({ counts }: Counts) =>
  Object.values(counts).reduce((sum, one) => ({ count: sum.count + one.count, more: sum.more || one.more }));

/** An id without an event: an operation, a user, or unknown. */
export function UnknownId({ id }: { id: string }) {
  const mayBeOperation = { enabled: isUserId(id), retry: false };
  const ours = {
    entitlement: useQuery({ ...queries.operation("entitlement", id), ...mayBeOperation }),
    notification: useQuery({ ...queries.operation("notification", id), ...mayBeOperation }),
  };
  const found = (["entitlement", "notification"] satisfies System[]).find(system => ours[system].data);
  const lists: [Kind, Counts | undefined, boolean][] = [useUser(outbox, id), useUser(notifications, id)];
  const known = useQuery({ ...queries.account(id), enabled: isUserId(id), retry: false });
  const held = useQuery({ ...hasEntitlements(id), retry: false });
  const hits = lists.filter(([, data]) => data && all(data).count > 0);
  if (found) return <Navigate to="/operations/$system/$id" params={{ system: found, id }} replace />;
  if (known.data) return <Navigate to="/users/$id" params={{ id: known.data.user_id }} replace />;
  if (known.isLoading || lists.some(([, , isPending]) => isPending) || held.isPending) return <Skeleton rows={3} />;
  return (
    <div className="panel">
      {hits.length > 0 || held.data ? (
        <EmptyState title="This id is a user">
          <span className="flex flex-wrap justify-center gap-4">
            {hits.map(([kind, data]) => (
              <Link key={kind.name} to={`/${kind.name}`} search={{ user_id: id }} className="button">
                {kind.title}: {count(all(data!))}
              </Link>
            ))}
            <UserLinks user={id} like="button" />
          </span>
        </EmptyState>
      ) : (
        <EmptyState title="Unknown id">
          No event, notification, trace, request key, purchase, operation or user has this id. Expired keys, and delivered events and
          notifications after their retention, are deleted.
        </EmptyState>
      )}
    </div>
  );
}

function useUser(kind: Kind, id: string): [Kind, Counts | undefined, boolean] {
  const { data, isPending } = useQuery({ ...queries.counts(kind, { user_id: id }), retry: false });
  return [kind, data, isPending];
}
