import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useLive } from "../../api/live.ts";
import { useCan } from "../../api/role.ts";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Page } from "../../parts/page.tsx";
import { UserLine, UserLookup } from "../../parts/user_lookup.tsx";
import { type Show, shows } from "../../parts/user_view.ts";
import { InboxRows } from "./inbox_rows.tsx";
import { inbox } from "./queries.ts";

/** A user's inbox as the user sees it, plus undelivered notifications. Viewing marks nothing as read. */
export function Inbox() {
  const { user, show = "all" } = useSearch({ from: "/inbox" });
  const navigate = useNavigate();
  return (
    <Page title="Inbox" about="A user's notifications. Viewing them marks nothing as read">
      <UserLookup key={user} user={user} open={chosen => void navigate({ to: "/inbox", search: { user: chosen, show } })} />
      {user ? (
        <>
          <UserLine user={user}>
            <Link to="/entitlements" search={{ user }} className="link">
              Entitlements
            </Link>
          </UserLine>
          <InboxList user={user} show={show} choose={chosen => void navigate({ to: "/inbox", search: { user, show: chosen } })} />
        </>
      ) : (
        <div className="panel">
          <EmptyState title="Look up a user">
            The inbox appears as the user sees it, newest first, and refreshes itself. Undelivered notifications are listed and marked.
          </EmptyState>
        </div>
      )}
    </Page>
  );
}

const words: Record<Show, string> = { all: "All", delivered: "Visible to the user", unread: "Unread" };
const empty: Record<Show, [title: string, text: string]> = {
  all: ["No notifications for this id", "Ids are case-sensitive. Sent notifications are deleted after their retention."],
  delivered: ["The user's inbox is empty", "Pending and failed notifications are under All."],
  unread: ["No unread notifications", "Read notifications are under Visible to the user."],
};

function InboxList({ user, show, choose }: { user: string; show: Show; choose: (show: Show) => void }) {
  const query = useInfiniteQuery({ ...inbox(user, show), ...useLive() });
  const { data, error, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = query;
  const seesPayloads = useCan("OPERATOR");
  const rows = data?.pages.flatMap(page => page.notifications) ?? [];
  const unread = data?.pages[0]?.unread;
  return (
    <>
      <fieldset aria-label="Show" className="-mb-1 flex min-w-0 gap-1 overflow-x-auto border-b">
        {shows.map(one => (
          <button
            key={one}
            type="button"
            aria-pressed={one === show}
            onClick={() => choose(one)}
            className={`flex h-9 shrink-0 items-center gap-1.5 border-b-2 px-3 ${one === show ? "border-accent font-semibold" : "border-transparent text-soft hover:text-ink"}`}
          >
            {words[one]}
            {one === "unread" && (
              <span className="mono text-faint">{unread === undefined ? "·" : unread === 1000 ? "1,000+" : unread}</span>
            )}
          </button>
        ))}
      </fieldset>
      {!seesPayloads && <p className="text-faint">Payloads are masked for your role.</p>}
      <div className="panel min-w-0 overflow-hidden">
        {error && <ErrorNotice what="The inbox cannot be shown." error={error} retry={() => void refetch()} />}
        {!data && !error && <Skeleton rows={8} />}
        {data && rows.length === 0 && <EmptyState title={empty[show][0]}>{empty[show][1]}</EmptyState>}
        {rows.length > 0 && <InboxRows rows={rows} />}
      </div>
      {hasNextPage && (
        <button type="button" className="button self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? "Loading …" : "Load older"}
        </button>
      )}
    </>
  );
}
