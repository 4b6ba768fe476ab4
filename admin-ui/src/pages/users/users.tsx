import { useInfiniteQuery } from "@tanstack/react-query";
import { Link, Outlet, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { type FormEvent, useEffect, useId, useState } from "react";
import { useLive } from "../../api/live.ts";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Page } from "../../parts/page.tsx";
import { isUserId } from "../../parts/user_id.ts";
import { users } from "./queries.ts";
import { UserRows } from "./user_rows.tsx";
import { readUsersView, type UsersView, userLists } from "./view.ts";

/** All users, filtered by a search or by status and role. */
export function Users() {
  const view = useSearch({ from: "/users" });
  const { id: openId } = useParams({ strict: false });
  const navigate = useNavigate();
  const { data, error, isPending, refetch, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery({
    ...users(view),
    ...useLive(),
  });
  const rows = [...new Map(data?.pages.flatMap(page => page.users).map(user => [user.user_id, user])).values()];
  const open = (id: string, isReplacing = false) =>
    void navigate({ to: "/users/$id", params: { id }, search: readUsersView({ ...view, open: undefined }), replace: isReplacing });
  const only = view.open === "only" && data && rows.length === 1 && !hasNextPage ? rows[0]!.user_id : undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the response has arrived
  useEffect(() => {
    if (only) open(only, true);
  }, [only]);

  return (
    <>
      <Page title="Users" about="Everyone who has signed in">
        <div className="flex flex-wrap items-end justify-between gap-x-6 gap-y-2">
          <UserLists view={view} />
          <FindForm
            key={view.search}
            search={view.search}
            find={text =>
              isUserId(text) ? open(text.toLowerCase()) : void navigate({ to: "/users", search: readUsersView({ search: text }) })
            }
          />
        </div>
        <div className="panel min-w-0 overflow-hidden">
          {error && <ErrorNotice what="Users cannot be listed." error={error} retry={() => void refetch()} />}
          {isPending && <Skeleton rows={10} />}
          {data && rows.length === 0 && <NoUsers view={view} />}
          {rows.length > 0 && <UserRows rows={rows} openId={openId} open={open} />}
        </div>
        {hasNextPage && (
          <button type="button" className="button self-center" disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
            {isFetchingNextPage ? "Loading …" : view.search ? "Load more" : "Load older"}
          </button>
        )}
      </Page>
      <Outlet />
    </>
  );
}

function UserLists({ view }: { view: UsersView }) {
  const lists = [{ name: undefined, word: "All" }, ...userLists];
  return (
    <nav aria-label="Lists of users" className="flex min-w-0 gap-1 overflow-x-auto border-b">
      {lists.map(({ name, word }) => {
        const isChosen = view.search === undefined && view.show === name;
        return (
          <Link
            key={word}
            to="/users"
            search={name ? { show: name } : {}}
            className={`flex h-9 shrink-0 items-center border-b-2 px-3 ${isChosen ? "border-accent font-semibold" : "border-transparent text-soft hover:text-ink"}`}
            activeProps={{}}
            aria-current={isChosen ? "page" : undefined}
          >
            {word}
          </Link>
        );
      })}
    </nav>
  );
}

function FindForm({ search, find }: { search: string | undefined; find: (text: string) => void }) {
  const [text, setText] = useState(search ?? "");
  const id = useId();
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (text.trim() !== "") find(text.trim());
  }
  return (
    <form onSubmit={submit} className="flex w-full max-w-xl flex-wrap items-center gap-2">
      <label htmlFor={id} className="font-medium">
        Find
      </label>
      <input
        id={id}
        className="field min-w-0 !w-auto flex-1"
        placeholder="Start of an e-mail address or name, or a user id"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={text}
        onChange={event => setText(event.target.value)}
      />
      <button type="submit" className="button" disabled={text.trim() === ""}>
        Find
      </button>
      {search !== undefined && (
        <Link to="/users" search={{}} className="link">
          Clear
        </Link>
      )}
    </form>
  );
}

function NoUsers({ view: { search, show } }: { view: UsersView }) {
  if (search)
    return (
      <EmptyState title="No user found">
        No e-mail address or name starts with “{search}”. Look up other ids in the{" "}
        <Link to="/journey/$id" params={{ id: search }} className="link">
          journey
        </Link>
        .
      </EmptyState>
    );
  if (show) return <EmptyState title="No users">This list is empty.</EmptyState>;
  return <EmptyState title="No users yet">A user is created at the first sign-in.</EmptyState>;
}
