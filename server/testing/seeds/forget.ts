import type { Databases } from "./chains.ts";

/** Which seeded rows are deleted; `users` and `prefix` in all tables of entitlement and notification. */
export interface Forgotten {
  readonly users?: readonly string[];
  /** Of user ids, and of the ids of clients with orders. */
  readonly prefix?: string;
  /** Whose request keys and orders go. */
  readonly clients?: readonly string[];
  /** A LIKE pattern of the reasons of operators' actions. */
  readonly actions?: string;
  readonly operations?: readonly string[];
  /** Whose raw dead letters go. */
  readonly streams?: readonly string[];
  /** The ids of raw dead letters. */
  readonly letters?: readonly string[];
}

/** Deletes seeded rows, because other tests count them. */
export async function forget({ entitlement, notification, orders }: Databases, what: Forgotten): Promise<void> {
  const { users = [], clients = [], operations = [], streams = [], letters = [] } = what;
  const prefix = what.prefix ? `${what.prefix}%` : null;
  await entitlement`
    with gone as (delete from entitlement_audit where user_id = any(${users}) or user_id like ${prefix} returning event_id, client_id, detail ->> 'idem_key' as key),
      keys as (delete from idempotency_keys k using gone where (k.client_id, k.idem_key) = (gone.client_id, gone.key))
    delete from outbox_events using gone where outbox_events.event_id = gone.event_id`;
  await entitlement`delete from entitlements where user_id = any(${users}) or user_id like ${prefix}`;
  await entitlement`delete from idempotency_keys where client_id = any(${clients})`;
  await orders`delete from outbox_orders where client_id = any(${clients}) or client_id like ${prefix}`;
  await orders`delete from idempo_ledger where client_id = any(${clients}) or client_id like ${prefix}`;
  for (const sql of [entitlement, notification, orders]) {
    await sql`delete from operator_actions where reason like ${what.actions ?? null}`;
    await sql`delete from operations where operation_id = any(${operations}::uuid[])`;
  }
  await notification`
    with gone as (delete from notifications where user_id = any(${users}) or user_id like ${prefix} returning event_id)
    delete from processed_events using gone where processed_events.event_id = gone.event_id`;
  await notification`delete from notification_nats_dlq where stream = any(${streams}) or id = any(${letters}::uuid[])`;
}
