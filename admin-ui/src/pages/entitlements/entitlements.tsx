import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useCan } from "../../api/me.ts";
import { Page } from "../../parts/page.tsx";
import { Empty } from "../../parts/trouble.tsx";
import { UserLine, UserLookup } from "../../parts/user_lookup.tsx";
import type { Verb } from "./change.ts";
import { ChangeForm } from "./change_form.tsx";
import { History } from "./history.tsx";
import { Holdings } from "./holdings.tsx";

interface Asked {
  readonly verb: Verb;
  readonly item: string;
}

/** One user: what they have or had, how it came about, and a change by hand. */
export function Entitlements() {
  const { user, as_of } = useSearch({ from: "/entitlements" });
  const navigate = useNavigate();
  const isOperator = useCan("OPERATOR");
  const [asked, setAsked] = useState<Asked>();
  const ask = isOperator ? (verb: Verb, item = "") => setAsked({ verb, item }) : undefined;
  return (
    <Page
      title="Entitlements"
      about="What a user has, and how it came about"
      actions={
        user &&
        ask && (
          <>
            <button type="button" className="button primary" onClick={() => ask("grant")}>
              Grant …
            </button>
            <button type="button" className="button danger" onClick={() => ask("revoke")}>
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
            ask={ask}
          />
          <History user={user} />
        </>
      ) : (
        <div className="panel">
          <Empty title="Look a user up">
            Ids are taken exactly as they are written. The address of this page then names the user, so it can be shared.
          </Empty>
        </div>
      )}
      {user && asked && <ChangeForm user={user} {...asked} close={() => setAsked(undefined)} />}
    </Page>
  );
}
