import { Link } from "@tanstack/react-router";

/** From a user's id, wherever it stands, to what they have and what they were told. */
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
