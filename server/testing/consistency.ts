import { becomes } from "../../stack/wait.ts";
import type { TestKenri } from "./kenri.ts";
import type { Ledger } from "./traffic.ts";

/** Waits until everything is published, confirmed and sent. FAILED rows need attention and do not count. */
export async function drained(kenri: TestKenri, within = 60_000): Promise<void> {
  let seen = {};
  const done = await becomes(within, async () => {
    const [outbox] = await kenri.entitlementSql`
      select count(*) filter (where status = 'PENDING') as pending, count(*) filter (where status = 'IN_FLIGHT') as in_flight,
        count(*) filter (where status = 'PUBLISHED' and confirmed_at is null) as unconfirmed from outbox_events`;
    const [inbox] = await kenri.notificationSql`
      select count(*) filter (where status = 'PENDING') as to_send, count(*) filter (where status = 'PROCESSING') as processing from notifications`;
    seen = { ...outbox, ...inbox };
    return Object.values(seen).every(count => count === 0);
  });
  if (!done) throw new Error(`not everything was delivered within ${within} ms: ${JSON.stringify(seen)}`);
}

/** Waits until notification has every event and has sent it. The outbox may not have confirmed it yet. */
export async function delivered({ entitlementSql, notificationSql }: TestKenri, within: number): Promise<void> {
  let seen = {};
  const done = await becomes(within, async () => {
    const open = await entitlementSql<
      { event_id: string }[]
    >`select event_id from outbox_events where status <> 'FAILED' and confirmed_at is null`;
    const ids = open.map(row => row.event_id);
    const [inbox] = await notificationSql`
      select (select count(*) from processed_events where event_id = any(${ids}::uuid[])) as held,
        (select count(*) from notifications where status in ('PENDING', 'PROCESSING')) as to_send`;
    seen = { unconfirmed: ids.length, ...inbox };
    return inbox?.held === ids.length && inbox.to_send === 0;
  });
  if (!done) throw new Error(`not everything was delivered within ${within} ms: ${JSON.stringify(seen)}`);
}

type Row = { readonly event_id: string; readonly aggregate: string; readonly version: number; readonly status: string };

/**
 * Compares the responses to clients with the two databases, after everything was delivered. Returns what is wrong:
 * a 200 without its effect, an effect without a request, a duplicate, a gap, something half done or not finished.
 */
export async function findInconsistencies(kenri: TestKenri, ledger: Ledger): Promise<string[]> {
  const events = await kenri.entitlementSql<
    Row[]
  >`select event_id, aggregate_key as aggregate, aggregate_version as version, status from outbox_events`;
  const inbox = await kenri.notificationSql<
    Row[]
  >`select event_id, aggregate_key as aggregate, aggregate_version as version, status from notifications`;
  const nameOf = ({ aggregate, version }: Row) => `${aggregate} v${version}`;
  const inInbox = new Set(inbox.map(nameOf));
  const known = new Map(events.map(event => [event.event_id, nameOf(event)]));
  const versions = Map.groupBy(events, event => event.aggregate);
  return [
    ...[...ledger.granted].flatMap(([aggregate, granted]) =>
      [...granted]
        .filter(version => !inInbox.has(`${aggregate} v${version}`))
        .map(version => `${aggregate} v${version} was answered 200 and is in no inbox`),
    ),
    ...inbox.filter(row => known.get(row.event_id) !== nameOf(row)).map(row => `${nameOf(row)} is in the inbox and is no event`),
    ...(inInbox.size === inbox.length ? [] : [`${inbox.length - inInbox.size} events are in the inbox twice`]),
    ...[...versions]
      .filter(([aggregate, all]) => all.length > (ledger.asked.get(aggregate) ?? 0))
      .map(([aggregate, all]) => `${aggregate}: ${all.length} events, asked for ${ledger.asked.get(aggregate) ?? 0}`),
    ...[...versions]
      .filter(([, all]) => !isRow(all.map(event => event.version)))
      .map(([aggregate, all]) => `${aggregate} has versions ${all.map(event => event.version).sort((a, b) => a - b)}`),
    ...events.filter(event => event.status !== "PUBLISHED").map(event => `event ${nameOf(event)} is ${event.status}`),
    ...inbox.filter(row => row.status !== "SENT").map(row => `notification ${nameOf(row)} is ${row.status}`),
    ...(await misplaced(kenri)),
    ...(await halfDone(kenri)),
  ];
}

const isRow = (numbers: number[]) => numbers.sort((a, b) => a - b).every((number, index) => number === index + 1);

/** The positions of a user's feed are 1, 2, 3 … up to the counter, in the order of versions, if nothing was deleted. */
async function misplaced({ notificationSql }: TestKenri): Promise<string[]> {
  const feeds = await notificationSql<{ user_id: string; positions: number[]; newest: number | null }[]>`
    select user_id, coalesce(array_agg(at) filter (where at is not null), '{}') as positions, p.position as newest
    from (select user_id, position::int as at from notifications where position is not null) sent full join inbox_positions p using (user_id)
    group by user_id, p.position`;
  const late = await notificationSql<{ aggregate_key: string; aggregate_version: number }[]>`
    select aggregate_key, aggregate_version from (
      select *, position > lead(position) over (partition by aggregate_key order by aggregate_version) as behind from notifications) one
    where behind and not stale and not exists (select from notification_dlq d where d.notification_id = one.notification_id)`;
  return [
    ...feeds
      .filter(({ positions, newest }) => !isRow(positions) || positions.length !== newest)
      .map(({ user_id, positions, newest }) => `the feed of ${user_id} has positions ${positions}, counted up to ${newest}`),
    ...late.map(one => `${one.aggregate_key} v${one.aggregate_version} stands in the feed behind a newer version`),
  ];
}

/** A change is entitlement, event, audit and stored response, or none of them. */
async function halfDone({ entitlementSql }: TestKenri): Promise<string[]> {
  const [count] = await entitlementSql`
    select (select count(*) from outbox_events) as events, (select count(*) from entitlement_audit) as audited,
      (select coalesce(sum(version), 0)::bigint from entitlements) as changes, (select count(*) from idempotency_keys where response_code = 200) as answers,
      (select count(*) from outbox_events full join entitlement_audit using (event_id) where outbox_events.ctid is null or entitlement_audit.ctid is null) as unpaired`;
  const { events, audited, changes, answers, unpaired } = count!;
  return events === audited && events === changes && events === answers && unpaired === 0 ? [] : [`half done: ${JSON.stringify(count)}`];
}
