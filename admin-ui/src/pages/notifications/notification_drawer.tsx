import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useLive } from "../../api/live.ts";
import type { RowDrawerProps } from "../../drawers.ts";
import { ActionList } from "../../parts/action_list.tsx";
import { Actor } from "../../parts/actor.tsx";
import { AsPublished } from "../../parts/as_published.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Facts, Section, Verbatim } from "../../parts/facts.tsx";
import { Id } from "../../parts/id.tsx";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Repair } from "../../parts/repair.tsx";
import { isWaiting, stateOf, typeWord } from "../../parts/row_kinds.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { At } from "../../parts/time.tsx";
import { TraceId } from "../../parts/trace_id.tsx";
import { UserLinks } from "../../parts/user_links.tsx";
import { kindOf } from "../../systems.ts";
import { Attempts } from "./attempts.tsx";
import { type NotificationDetail, notificationDetail } from "./queries.ts";

const notifications = kindOf("notifications");

export function NotificationDrawer({ id, close }: RowDrawerProps) {
  const { data: notification, error, refetch } = useQuery({ ...notificationDetail(id), ...useLive() });
  return (
    <Drawer
      title={notification ? `${typeWord(notifications, notification.type)} notification` : "Notification"}
      head={<Id id={id} whole />}
      close={close}
    >
      {error && <ErrorNotice what="This notification cannot be shown." error={error} retry={() => void refetch()} />}
      {!notification && !error && <Skeleton rows={12} />}
      {notification && <Details notification={notification} />}
    </Drawer>
  );
}

function Details({ notification }: { notification: NotificationDetail }) {
  return (
    <>
      <Repair kind={notifications} id={notification.notification_id} status={notification.status} attempts={notification.attempt_count} />
      <Section title="State">
        <Facts
          facts={[
            ["State", <StateMark key="state" state={stateOf(notifications, { ...notification, attempts: notification.attempt_count })} />],
            ["Created", <At key="created" at={notification.created_at} />],
            ["Next attempt", isWaiting(notifications, notification) ? <At key="next" at={notification.next_retry_at} /> : null],
            ["Sent", <At key="sent" at={notification.sent_at} />],
            ["Read", <At key="read" at={notification.read_at} />],
            ...(notification.failed_at ? [["Last failure", <At key="failed" at={notification.failed_at} />] as const] : []),
            ...(notification.requeued_at
              ? [["Requeued", <Requeued key="requeued" at={notification.requeued_at} by={notification.requeued_by} />] as const]
              : []),
            ...(notification.stale ? [["Stale", "a newer version had already arrived"] as const] : []),
          ]}
        />
      </Section>
      {notification.last_error && (
        <Section title="Last error">
          <Verbatim text={notification.last_error} tone="text-failed" />
        </Section>
      )}
      <Section title="Attempts, newest first">
        <Attempts attempts={notification.attempts} />
      </Section>
      <Section title="About">
        <Facts
          facts={[
            ["User", <Id key="user" id={notification.user_id} whole />],
            ["User pages", <UserLinks key="links" user={notification.user_id} />],
            ...subjectOf(notification),
            ["Channel", notification.channel],
            ["Event", <Id key="event" id={notification.event_id} whole />],
            ["Trace", <TraceId key="trace" id={notification.trace_id} />],
            [
              "Journey",
              <Link key="journey" to="/journey/$id" params={{ id: notification.event_id }} className="link">
                Full journey of its event
              </Link>,
            ],
          ]}
        />
      </Section>
      <Section title="Payload">
        <Verbatim text={JSON.stringify(notification.payload, null, 2)} />
      </Section>
      {notification.match_id === null && <AsPublished eventId={notification.event_id} />}
      {notification.actions.length > 0 && (
        <Section title="Operator actions">
          <ActionList actions={notification.actions} />
        </Section>
      )}
    </>
  );
}

type Fact = readonly [string, ReactNode];

/** The item and its version, or the match and the other player. */
function subjectOf({ stock_keeping_unit, aggregate_version, match_id, mode, peer_user_id }: NotificationDetail): Fact[] {
  if (match_id !== null)
    return [
      [
        "Match",
        <Link key="match" to="/matchmaking/matches/$id" params={{ id: match_id }} className="link mono break-all">
          {match_id}
        </Link>,
      ],
      ["Mode", mode],
      ["Against", peer_user_id && <Id key="peer" id={peer_user_id} whole />],
      ["Pages of the other player", peer_user_id && <UserLinks key="peer links" user={peer_user_id} />],
    ];
  return [
    ["Item", stock_keeping_unit && <Mono key="item" text={stock_keeping_unit} />],
    ["Version", <Mono key="version" text={String(aggregate_version)} />],
  ];
}

const Mono = ({ text }: { text: string }) => <span className="mono break-all">{text}</span>;

const Requeued = ({ at, by }: { at: string; by: string | null }) => (
  <>
    <At at={at} /> by <Actor id={by ?? "?"} />
  </>
);
