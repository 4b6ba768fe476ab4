import { useQuery } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { EventDetail } from "../../../../server/entitlement/operator/outbox_routes.ts";
import { useLive } from "../../api/live.ts";
import type { RowDrawerProps } from "../../drawers.ts";
import { ActionList } from "../../parts/action_list.tsx";
import { AsPublished } from "../../parts/as_published.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Facts, Section, Verbatim } from "../../parts/facts.tsx";
import { Id } from "../../parts/id.tsx";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { attemptsOf } from "../../parts/publish_attempts.ts";
import { Repair } from "../../parts/repair.tsx";
import { isWaiting, stateOf, typeWord } from "../../parts/row_kinds.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { At } from "../../parts/time.tsx";
import { TraceId } from "../../parts/trace_id.tsx";
import { UserLinks } from "../../parts/user_links.tsx";
import { kindOf } from "../../systems.ts";
import { eventDetail } from "./queries.ts";

const outbox = kindOf("outbox");

export function EventDrawer({ id, close }: RowDrawerProps) {
  const { data: event, error, refetch } = useQuery({ ...eventDetail(id), ...useLive() });
  return (
    <Drawer title={event ? `${typeWord(outbox, event.event_type)} event` : "Event"} head={<Id id={id} whole />} close={close}>
      {error && <ErrorNotice what="This event cannot be shown." error={error} retry={() => void refetch()} />}
      {!event && !error && <Skeleton rows={12} />}
      {event && <Details event={event} />}
    </Drawer>
  );
}

function Details({ event }: { event: EventDetail }) {
  return (
    <>
      <Repair kind={outbox} id={event.event_id} status={event.status} attempts={event.attempt_count} />
      <Section title="State">
        <Facts
          facts={[
            [
              "State",
              <StateMark key="state" state={stateOf(outbox, { status: event.status, attempts: event.attempt_count, stale: false })} />,
            ],
            ["Attempts", event.published_at ? attemptsOf(event) : `${event.attempt_count} failed`],
            ["Created", <At key="created" at={event.created_at} />],
            ...(event.failed_at ? [["Last failure", <At key="failed" at={event.failed_at} />] as const] : []),
            ["Next attempt", isWaiting(outbox, event) ? <At key="next" at={event.next_retry_at} /> : null],
            ["Published", <At key="published" at={event.published_at} />],
            [
              "Stream",
              event.stream_seq === null ? null : (
                <span key="seq" className="mono">{`#${event.stream_seq}${event.stream_duplicate ? " (duplicate)" : ""}`}</span>
              ),
            ],
            ["Confirmed", <At key="confirmed" at={event.confirmed_at} />],
            ...(event.missing_at ? [["Missing at notification since", <At key="missing" at={event.missing_at} />] as const] : []),
            ...(event.locked_by ? [["Leased by", <Lease key="lease" by={event.locked_by} until={event.lease_until} />] as const] : []),
          ]}
        />
      </Section>
      {event.last_error && (
        <Section title="Last error">
          <Verbatim text={event.last_error} tone="text-failed" />
        </Section>
      )}
      <Section title="About">
        <Facts
          facts={[
            ["User", <Id key="user" id={event.user_id} whole />],
            ["User pages", <UserLinks key="links" user={event.user_id} />],
            [
              "Item",
              <span key="item" className="mono break-all">
                {event.stock_keeping_unit}
              </span>,
            ],
            [
              "Version",
              <span key="version" className="mono">
                {event.aggregate_version}
              </span>,
            ],
            ["Trace", <TraceId key="trace" id={event.trace_id} />],
            [
              "Journey",
              <Link key="journey" to="/journey/$id" params={{ id: event.event_id }} className="link">
                Full journey of this event
              </Link>,
            ],
          ]}
        />
      </Section>
      <Section title="Payload">
        <Verbatim text={JSON.stringify(event.payload, null, 2)} />
      </Section>
      <AsPublished eventId={event.event_id} />
      {event.actions.length > 0 && (
        <Section title="Operator actions">
          <ActionList actions={event.actions} />
        </Section>
      )}
    </>
  );
}

const Lease = ({ by, until }: { by: string; until: string | null | undefined }) => (
  <>
    <span className="mono">{by}</span> until <At at={until} />
  </>
);
