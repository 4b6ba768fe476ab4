import type { User } from "../../api/answers.ts";
import { Id } from "../../parts/id.tsx";
import { useIsNarrow } from "../../parts/narrow.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { Ago } from "../../parts/time.tsx";

const statuses = {
  ACTIVE: { tone: "done", word: "Active" },
  SUSPENDED: { tone: "failed", word: "Suspended" },
  ERASED: { tone: "failed", word: "Erased" },
} as const;
export const statusOf = ({ account_status }: Pick<User, "account_status">) => statuses[account_status];

/** Without USER, which everyone has. */
export const rolesOf = ({ roles }: Pick<User, "roles">): string => roles.filter(role => role !== "USER").join(", ") || "–";

const nameOf = ({ display_name, email, user_id }: User) => display_name ?? email ?? user_id;

interface UserRowsProps {
  readonly rows: readonly User[];
  readonly openId: string | undefined;
  readonly open: (id: string) => void;
}

/** A table; on a phone a list with the main facts. */
export function UserRows({ rows, openId, open }: UserRowsProps) {
  if (useIsNarrow())
    return (
      <ul>
        {rows.map(user => (
          <li key={user.user_id} className="border-b last:border-0">
            <button type="button" className="flex w-full flex-col gap-1 px-3 py-2.5 text-left" onClick={() => open(user.user_id)}>
              <span className="flex w-full items-center justify-between gap-3">
                <span className="min-w-0 truncate font-medium">{nameOf(user)}</span>
                <StateMark state={statusOf(user)} />
              </span>
              <span className="break-all text-soft">{user.email ?? "no e-mail address"}</span>
              {rolesOf(user) !== "–" && <span className="text-faint">{rolesOf(user)}</span>}
            </button>
          </li>
        ))}
      </ul>
    );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling element must be reachable by keyboard
    <section className="max-h-[calc(100dvh-12rem)] overflow-auto" tabIndex={0} aria-label="Users">
      <table className="grid-table">
        <thead>
          <tr>
            <th>Status</th>
            <th>Name</th>
            <th className="w-full">E-mail address</th>
            <th>Roles</th>
            <th className="end">First sign-in</th>
            <th>User</th>
          </tr>
        </thead>
        <tbody>
          {rows.map(user => (
            // The button in the first cell is the keyboard equivalent.
            <tr
              key={user.user_id}
              data-open={user.user_id === openId ? "" : undefined}
              className="cursor-pointer"
              onClick={() => open(user.user_id)}
            >
              <td>
                <button
                  type="button"
                  className="flex"
                  aria-label={`${statusOf(user).word}: open ${nameOf(user)}`}
                  onClick={event => {
                    event.stopPropagation();
                    open(user.user_id);
                  }}
                >
                  <StateMark state={statusOf(user)} />
                </button>
              </td>
              <td title={user.display_name ?? undefined}>{user.display_name ?? <span className="text-faint">–</span>}</td>
              <td className="max-w-0 truncate" title={user.email ?? undefined}>
                {user.email ?? <span className="text-faint">–</span>}
              </td>
              <td>{rolesOf(user)}</td>
              <td className="end">
                <Ago at={user.created_at} />
              </td>
              <td>
                <Id id={user.user_id} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
