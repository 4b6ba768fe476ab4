import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import type { Action, Attempt, DeadLetter, Notification } from "../../api/client.ts";
import { useLive } from "../../api/live.ts";
import * as queries from "../../api/queries.ts";
import { ActionList } from "../../parts/action_list.tsx";
import { Actor } from "../../parts/actor.tsx";
import { AsPublished } from "../../parts/as_published.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Facts, Section, Verbatim } from "../../parts/facts.tsx";
import { Id } from "../../parts/id.tsx";
import { notifications, ofNotification, stateOf, verbOf } from "../../parts/kinds.ts";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Repair } from "../../parts/repair.tsx";
import { StateMark } from "../../parts/state_mark.tsx";
import { At } from "../../parts/time.tsx";
import { UserLinks } from "../../parts/user_links.tsx";
import { Attempts } from "./attempts.tsx";

interface NotificationDetail extends Notification {
  readonly payload?: unknown;
  readonly dead_since?: string | null;
  readonly requeued_at?: string | null;
  readonly requeued_by?: string | null;
  readonly attempts: readonly Attempt[];
  readonly actions?: readonly Action[];
}

export function NotificationDrawer() {
  const { id } = useParams({ from: "/notifications/$id" });
  const search = useSearch({ from: "/notifications" });
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery({ ...queries.detail(notifications, id), ...useLive() });
  const notification = data as NotificationDetail | undefined;
  return (
    <Drawer
      title={notification ? `${verbOf(notification.type)} notification` : "Notification"}
      head={<Id id={id} whole />}
      close={() => void navigate({ to: "/notifications", search })}
    >
      {error && <ErrorNotice what="This notification cannot be shown." error={error} retry={() => void refetch()} />}
      {!notification && !error && <Skeleton rows={12} />}
      {notification && <Details notification={notification} />}
    </Drawer>
  );
}

function Details({ notification }: { notification: NotificationDetail }) {
  const dead = deadOf(notification);
  return (
    <>
      <Repair kind={notifications} id={notification.notification_id} status={notification.status} attempts={notification.attempt_count} />
      <Section title="State">
        <Facts
          facts={[
            ["State", <StateMark key="state" state={stateOf(notifications, ofNotification(notification))} />],
            ["Created", <At key="created" at={notification.created_at} />],
            ["Next attempt", notification.status === "PENDING" ? <At key="next" at={notification.next_retry_at} /> : null],
            ["Sent", <At key="sent" at={notification.sent_at} />],
            ["Read", <At key="read" at={notification.read_at} />],
            ...(notification.failed_at ? [["Last failure", <At key="failed" at={notification.failed_at} />] as const] : []),
            ...(dead?.requeued_at ? [["Requeued", <Requeued key="back" at={dead.requeued_at} by={dead.requeued_by} />] as const] : []),
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
            [
              "Item",
              <span key="item" className="mono break-all">
                {notification.stock_keeping_unit ?? "–"}
              </span>,
            ],
            ["Channel", notification.channel],
            [
              "Version",
              <span key="version" className="mono">
                {notification.aggregate_version}
              </span>,
            ],
            ["Event", <Id key="event" id={notification.event_id} whole />],
            ["Trace", <Id key="trace" id={notification.trace_id} whole />],
            [
              "Journey",
              <Link key="journey" to="/journey/$id" params={{ id: notification.event_id }} className="link">
                Full journey of its event
              </Link>,
            ],
          ]}
        />
      </Section>
      {notification.payload !== undefined && (
        <Section title="Payload">
          <Verbatim text={JSON.stringify(notification.payload, null, 2)} />
        </Section>
      )}
      <AsPublished eventId={notification.event_id} />
      {notification.actions && notification.actions.length > 0 && (
        <Section title="Operator actions">
          <ActionList actions={notification.actions} />
        </Section>
      )}
    </>
  );
}

/** A detail may have its dead letter's fields among its own. */
function deadOf({ dead, dead_since, requeued_at = null, requeued_by = null }: NotificationDetail): DeadLetter | null {
  return dead ?? (dead_since ? { failed_at: dead_since, requeued_at, requeued_by } : null);
}

const Requeued = ({ at, by }: { at: string; by: string | null }) => (
  <>
    <At at={at} /> by <Actor id={by ?? "?"} />
  </>
);
