import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Role, User } from "../../api/answers.ts";
import * as queries from "../../api/queries.ts";
import { useCan } from "../../api/role.ts";
import { number } from "../../parts/format.ts";
import { ErrorNotice } from "../../parts/notices.tsx";
import { ReasonForm } from "../../parts/reason_form.tsx";
import { type AccountChange, changeAccount, erasure } from "./queries.ts";
import { offeredTo } from "./view.ts";

type Change = AccountChange["change"];

const givable = ["VIEWER", "OPERATOR", "ADMIN"] as const satisfies readonly Role[];

const words: Record<Change, { readonly opener: string; readonly label: string; readonly means: string; readonly done: string }> = {
  suspend: {
    opener: "Suspend …",
    label: "Suspend",
    means: "The user is refused from now on, including in open sessions. Their entitlements stay.",
    done: "Suspended. The user is refused from now on.",
  },
  restore: {
    opener: "Restore …",
    label: "Restore",
    means: "The user can sign in again. Open sessions work again.",
    done: "Restored. The user can sign in again.",
  },
  roles: {
    opener: "Roles …",
    label: "Set roles",
    means: "Sets exactly these roles in addition to USER. They apply from the next request.",
    done: "The roles are set. They apply from the next request.",
  },
  "sign-out": {
    opener: "Sign out everywhere …",
    label: "Sign out everywhere",
    means: "Ends every session on every device. A user who is not suspended can sign in again.",
    done: "Signed out everywhere.",
  },
  erase: {
    opener: "Erase …",
    label: "Erase for good",
    means:
      "Suspends the user, ends their sessions, and removes their personal data from every system. Entitlements, notifications and the audit stay under a pseudonym. Logs and backups keep the id until they expire. This cannot be undone.",
    done: "The erasure has begun. Its state is above.",
  },
};

/** The actions of an administrator on an account. The service authorizes them and writes the audit log. */
export function UserActions({ user }: { user: User }) {
  const client = useQueryClient();
  const isAdmin = useCan("ADMIN");
  const { data: me } = useQuery(queries.me);
  const { data: erased, isPending: isUnknown } = useQuery(erasure(user.user_id));
  const [wanted, setChosen] = useState<Change>();
  const [roles, setRoles] = useState<readonly Role[]>(user.roles);
  const act = useMutation({
    mutationFn: (change: AccountChange) => changeAccount(user.user_id, change),
    onSuccess: () => setChosen(undefined),
    // Also after an error: another operator may have made the change.
    onSettled: () => client.invalidateQueries(),
  });
  if (!isAdmin) return null;
  const isOwn = me?.user_id === user.user_id;
  if (user.account_status === "ERASED" || isUnknown) return null;
  const isErasing = erased != null && erased.state !== "DONE";
  const offered = offeredTo({ account_status: user.account_status, isOwn, isErasing });
  // Somebody else may have begun an erasure while the form was open.
  const chosen = wanted && offered.includes(wanted) ? wanted : undefined;
  function choose(change: Change): void {
    act.reset();
    setRoles(user.roles);
    setChosen(change);
  }
  return (
    <div className="mb-6 flex flex-col gap-3 rounded-md border p-4">
      {act.isSuccess && (
        <p role="status" className="font-medium text-done">
          {words[act.variables.change].done}
          {act.data.ended !== undefined && ` Sessions ended: ${number(act.data.ended)}.`}
        </p>
      )}
      {act.error && <ErrorNotice what="Nothing was changed." error={act.error} />}
      {isOwn && (
        <p className="text-soft">This is your own account. Another administrator must suspend or erase it, or remove its ADMIN role.</p>
      )}
      {isErasing && (
        <p className="text-soft">
          This user is being erased. That cannot be undone, so the account is not restored, and its roles do not change any more.
        </p>
      )}
      {!chosen && (
        <div className="flex flex-wrap gap-2">
          {offered.map(change => (
            <button
              key={change}
              type="button"
              className={`button ${change === "suspend" ? "danger order-last ml-auto" : change === "erase" ? "danger order-last" : ""}`}
              onClick={() => choose(change)}
            >
              {words[change].opener}
            </button>
          ))}
        </div>
      )}
      {chosen && (
        <>
          <p>{words[chosen].means}</p>
          {chosen === "roles" && <RoleChoice roles={roles} choose={setRoles} />}
          <ReasonForm
            key={chosen}
            label={words[chosen].label}
            isBusy={act.isPending}
            isDangerous={chosen === "suspend" || chosen === "erase"}
            {...(chosen === "erase" ? { confirmText: user.user_id.slice(-12) } : {})}
            act={reason => act.mutate(chosen === "roles" ? { change: chosen, reason, roles } : { change: chosen, reason })}
            cancel={() => setChosen(undefined)}
          />
        </>
      )}
    </div>
  );
}

const means: Record<(typeof givable)[number], string> = {
  VIEWER: "read only, payloads masked",
  OPERATOR: "read, requeue and retry",
  ADMIN: "also discard, and manage users",
};

const RoleChoice = ({ roles, choose }: { roles: readonly Role[]; choose: (roles: readonly Role[]) => void }) => (
  <fieldset className="flex flex-col gap-1.5">
    <legend className="mb-1 font-medium">Roles</legend>
    {givable.map(role => (
      <label key={role} className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={roles.includes(role)}
          onChange={event => choose(event.target.checked ? [...roles, role] : roles.filter(one => one !== role))}
        />
        {role} <span className="text-soft">{means[role]}</span>
      </label>
    ))}
  </fieldset>
);
