import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useCan } from "../../api/role.ts";
import { EmptyState } from "../../parts/notices.tsx";
import { Page } from "../../parts/page.tsx";
import { UserLine, UserLookup } from "../../parts/user_lookup.tsx";
import type { Verb } from "./change.ts";
import { ChangeForm } from "./change_form.tsx";
import { History } from "./history.tsx";
import { Holdings } from "./holdings.tsx";

interface RequestedChange {
  readonly verb: Verb;
  readonly item: string;
}

/** One user: current and past entitlements, history, manual changes. */
export function Entitlements() {
  const { user, as_of } = useSearch({ from: "/entitlements" });
  const navigate = useNavigate();
  const isOperator = useCan("OPERATOR");
  const [requested, setRequested] = useState<RequestedChange>();
  const openForm = isOperator ? (verb: Verb, item = "") => setRequested({ verb, item }) : undefined;
  return (
    <Page
      title="Entitlements"
      about="A user's entitlements and their history"
      actions={
        user &&
        openForm && (
          <>
            <button type="button" className="button primary" onClick={() => openForm("grant")}>
              Grant …
            </button>
            <button type="button" className="button danger" onClick={() => openForm("revoke")}>
              Revoke …
            </button>
          </>
        )
      }
    >
      <UserLookup key={user} user={user} open={chosen => void navigate({ to: "/entitlements", search: { user: chosen } })} />
      {user ? (
        <>
          <UserLine user={user}>
            <Link to="/inbox" search={{ user }} className="link">
              Inbox
            </Link>
          </UserLine>
          <Holdings
            user={user}
            asOf={as_of}
            look={time => void navigate({ to: "/entitlements", search: { user, ...(time ? { as_of: time } : {}) } })}
            openForm={openForm}
          />
          <History user={user} />
        </>
      ) : (
        <div className="panel">
          <EmptyState title="Look up a user">
            Ids are case-sensitive. The address of the page contains the user id and can be shared.
          </EmptyState>
        </div>
      )}
      {user && requested && <ChangeForm user={user} {...requested} close={() => setRequested(undefined)} />}
    </Page>
  );
}
