import { useInfiniteQuery, useQuery } from "@tanstack/react-query";
import { useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { User } from "../../api/answers.ts";
import { ApiError } from "../../api/client.ts";
import { useLive } from "../../api/live.ts";
import { account } from "../../api/queries.ts";
import { Actor } from "../../parts/actor.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Facts, Section } from "../../parts/facts.tsx";
import { Id } from "../../parts/id.tsx";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { StateMark } from "../../parts/state_mark.tsx";
import { Ago, At } from "../../parts/time.tsx";
import { isUserId } from "../../parts/user_id.ts";
import { UserLinks, UserLists } from "../../parts/user_links.tsx";
import { ErasureState } from "./erasure_state.tsx";
import { accountAudit, sessions } from "./queries.ts";
import { UserActions } from "./user_actions.tsx";
import { rolesOf, statusOf } from "./user_rows.tsx";
import { changesOf } from "./view.ts";

export function UserDrawer() {
  const { id } = useParams({ from: "/users/$id" });
  const search = useSearch({ from: "/users" });
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery({ ...account(id), ...useLive() });
  // Of a user who was erased meanwhile nothing is shown any more.
  const user = error instanceof ApiError && error.status === 404 ? undefined : data;
  return (
    <Drawer
      title={user ? (user.display_name ?? user.email ?? "User without a name") : "User"}
      head={<Id id={id} whole />}
      close={() => void navigate({ to: "/users", search })}
    >
      {error && <ErrorNotice what="This user cannot be shown." error={error} retry={() => void refetch()} />}
      <ErasureState key={id} id={id} />
      {!user && !error && <Skeleton rows={12} />}
      {user && (
        <>
          <UserActions key={user.user_id} user={user} />
          <Identity user={user} />
          <Sessions id={user.user_id} />
          <Section title="Related pages">
            <div className="flex flex-wrap gap-x-3 gap-y-1">
              <UserLinks user={user.user_id} />
              <UserLists user={user.user_id} />
            </div>
          </Section>
          <Audit id={user.user_id} />
        </>
      )}
    </Drawer>
  );
}

const Identity = ({ user }: { user: User }) => (
  <Section title="Identity">
    <Facts
      facts={[
        ["Status", <StateMark key="status" state={statusOf(user)} />],
        ["Roles", rolesOf(user) === "–" ? "USER only" : rolesOf(user)],
        ["Name", user.display_name],
        [
          "E-mail address",
          user.email && (
            <span key="email" className="break-all">
              {user.email} <span className="text-faint">{user.email_verified ? "verified" : "not verified"}</span>
            </span>
          ),
        ],
        ["Language", user.locale],
        ["First sign-in", <At key="created" at={user.created_at} />],
        ["Last change", <At key="updated" at={user.updated_at} />],
      ]}
    />
  </Section>
);

/** The gateway stores no details of sessions, only the data needed to end them. */
function Sessions({ id }: { id: string }) {
  const { data, error, refetch } = useQuery({ ...sessions(id), ...useLive() });
  const last = data
    ?.map(session => session.ends_unused_at)
    .sort()
    .at(-1);
  return (
    <Section title="Sessions">
      {error && <ErrorNotice what="Sessions cannot be loaded." error={error} retry={() => void refetch()} />}
      {data?.length === 0 && <p>Not signed in anywhere.</p>}
      {data && data.length > 0 && (
        <p>
          {data.length} open. If unused, the last one ends <Ago at={last} />.
        </p>
      )}
    </Section>
  );
}

function Audit({ id }: { id: string }) {
  const { data, error, refetch, hasNextPage, fetchNextPage } = useInfiniteQuery({ ...accountAudit(id), ...useLive() });
  return (
    <Section title="Account audit log">
      {error && <ErrorNotice what="The audit log cannot be loaded." error={error} retry={() => void refetch()} />}
      <ul className="flex flex-col gap-3" aria-label="Account audit log">
        {data?.pages
          .flatMap(page => page.audit)
          .map(one => (
            <li key={one.audit_id}>
              <p className="flex flex-wrap gap-x-3">
                <span className="font-medium">{one.action}</span>
                <At at={one.at} />
                <Actor id={isUserId(one.actor) ? `user:${one.actor}` : one.actor} />
              </p>
              {one.reason && <p className="break-words">{one.reason}</p>}
              {changesOf(one.detail).map(line => (
                <p key={line} className="break-words text-soft">
                  {line}
                </p>
              ))}
            </li>
          ))}
      </ul>
      {hasNextPage && (
        <button type="button" className="button mt-3" onClick={() => void fetchNextPage()}>
          Load older
        </button>
      )}
    </Section>
  );
}
