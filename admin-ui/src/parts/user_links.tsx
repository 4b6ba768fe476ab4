import { Link } from "@tanstack/react-router";

/** Links from a user id to the user's entitlements and inbox. */
export function UserLinks({ user, like = "link" }: { user: string; like?: "link" | "button" }) {
  return (
    <span className="inline-flex flex-wrap gap-x-3 gap-y-1">
      <Link to="/entitlements" search={{ user }} className={like}>
        Entitlements
      </Link>
      <Link to="/inbox" search={{ user }} className={like}>
        Inbox
      </Link>
    </span>
  );
}
