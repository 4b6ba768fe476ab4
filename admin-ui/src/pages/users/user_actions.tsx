import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { Role } from "../../api/client.ts";
import type { User } from "../../api/queries.ts";
import * as queries from "../../api/queries.ts";
import { useCan } from "../../api/role.ts";
import { number } from "../../parts/format.ts";
import { ErrorNotice } from "../../parts/notices.tsx";
import { ReasonForm } from "../../parts/reason_form.tsx";
import { type AccountChange, changeAccount } from "./queries.ts";

type Change = AccountChange["change"];

const givable = ["VIEWER", "OPERATOR", "ADMIN"] as const satisfies readonly Role[];

const words: Record<Change, { readonly opener: string; readonly label: string; readonly means: string; readonly done: string }> = {
  suspend: {
    opener: "Suspend …",
    label: "Suspend",
    means: "The user is refused from now on, also with open sessions. What they own stays theirs.",
    done: "Suspended. The user is refused from now on.",
  },
  restore: {
    opener: "Restore …",
    label: "Restore",
    means: "The user may sign in again; sessions that are still open work again.",
    done: "Restored. The user may sign in again.",
  },
  roles: {
    opener: "Roles …",
    label: "Set roles",
    means: "Exactly these, beside USER. They hold from the next request on.",
    done: "The roles are set. They hold from the next request on.",
  },
  "sign-out": {
    opener: "Sign out everywhere …",
    label: "Sign out everywhere",
    means: "Every session ends, on every device. The user may sign in again.",
    done: "Signed out everywhere.",
  },
};

/** What an administrator may do to an account; answers where it was asked. The service decides and keeps the audit. */
export function UserActions({ user }: { user: User }) {
  const client = useQueryClient();
  const isAdmin = useCan("ADMIN");
  const { data: me } = useQuery(queries.me);
  const [chosen, setChosen] = useState<Change>();
  const [roles, setRoles] = useState<readonly Role[]>(user.roles);
  const act = useMutation({
    mutationFn: (change: AccountChange) => changeAccount(user.user_id, change),
    onSuccess: () => setChosen(undefined),
    // Also after a refusal: somebody else may have done it.
    onSettled: () => client.invalidateQueries(),
  });
  if (!isAdmin) return null;
  const isOwn = me?.user_id === user.user_id;
  const isActive = user.account_status === "ACTIVE";
  const offered: readonly Change[] = [isActive ? (isOwn ? [] : "suspend") : "restore", "roles", "sign-out"].flat() as Change[];
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
      {isOwn && <p className="text-soft">This is your own account: another administrator has to suspend it, or take ADMIN from it.</p>}
      {!chosen && (
        <div className="flex flex-wrap gap-2">
          {offered.map(change => (
            <button
              key={change}
              type="button"
              className={`button ${change === "suspend" ? "danger order-last ml-auto" : ""}`}
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
            isDangerous={chosen === "suspend"}
            act={reason => act.mutate(chosen === "roles" ? { change: chosen, reason, roles } : { change: chosen, reason })}
            cancel={() => setChosen(undefined)}
          />
        </>
      )}
    </div>
  );
}

const means: Record<(typeof givable)[number], string> = {
  VIEWER: "looks, with payloads masked",
  OPERATOR: "looks and repairs",
  ADMIN: "also discards, and looks after users",
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
