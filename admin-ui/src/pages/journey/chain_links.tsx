import { Link } from "@tanstack/react-router";
import { matchIn } from "../../parts/notice_words.ts";
import { isUserId } from "../../parts/user_id.ts";
import { UserLinks } from "../../parts/user_links.tsx";
import type { Chain } from "./steps.ts";

/** Links to the rows of the chain. */
export function ChainLinks({ chain: { event, notifications } }: { chain: Chain }) {
  const user = event?.user_id ?? notifications[0]?.user_id;
  const match = notifications[0] && matchIn(notifications[0])?.matchId;
  return (
    <p className="flex flex-wrap gap-x-4 gap-y-1">
      {event && event.status !== null && (
        <Link to="/$kind/$id" params={{ kind: "outbox", id: event.event_id }} className="link">
          Outbox
        </Link>
      )}
      {/* A viewer sees the id masked. */}
      {match && isUserId(match) && (
        <Link to="/matchmaking/matches/$id" params={{ id: match }} className="link">
          Match
        </Link>
      )}
      {notifications.map(({ notification_id: id }, index) => (
        <Link key={id} to="/$kind/$id" params={{ kind: "notifications", id }} className="link">
          Notification{notifications.length > 1 && ` ${index + 1}`}
        </Link>
      ))}
      {user && (
        <Link to="/$kind" params={{ kind: "notifications" }} search={{ user_id: user }} className="link max-w-64 truncate">
          Notifications of {user}
        </Link>
      )}
      {user && <UserLinks user={user} />}
    </p>
  );
}
