import { Link } from "@tanstack/react-router";
import { rowKinds } from "../systems.ts";
import { isOfUsers } from "./row_kinds.ts";

/** Links from a user id to the user's entitlements, inbox and matchmaking tickets. */
export function UserLinks({ user, like = "link" }: { user: string; like?: "link" | "button" }) {
  return (
    <span className="inline-flex flex-wrap gap-x-3 gap-y-1">
      <Link to="/entitlements" search={{ user }} className={like}>
        Entitlements
      </Link>
      <Link to="/inbox" search={{ user }} className={like}>
        Inbox
      </Link>
      <Link to="/matchmaking/players/$id" params={{ id: user }} className={like}>
        Tickets
      </Link>
    </span>
  );
}

/** Links from a user id to the user's rows in every list of users' rows. */
export const UserLists = ({ user }: { user: string }) =>
  rowKinds.filter(isOfUsers).map(({ name, title }) => (
    <Link key={name} to="/$kind" params={{ kind: name }} search={{ user_id: user }} className="link">
      {title}
    </Link>
  ));
