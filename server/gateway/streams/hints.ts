import type { NatsConnection, Subscription } from "@nats-io/nats-core";
import type { Broker } from "../../kernel/nats/broker.ts";

/** Who is to be woken when a hint for a user comes. One subscription a user, made anew on every new connection object. */
export function hints(broker: Broker, subjectOf: (userId: string) => string) {
  const listeners = new Map<string, Set<() => void>>();
  const subscriptions = new Map<string, Subscription>();
  let subscribedOn: NatsConnection | undefined;

  function subscribe(userId: string): void {
    if (!broker.connected() || subscriptions.has(userId)) return;
    const subscription = broker.connection().subscribe(subjectOf(userId), {
      callback: error => {
        if (error) return; // NATS does not permit the subject: the broker logs it
        for (const wake of listeners.get(userId) ?? []) wake();
      },
    });
    subscriptions.set(userId, subscription);
  }

  broker.onConnect(() => {
    // The client renews subscriptions of a connection that it makes again itself.
    if (subscribedOn !== broker.connection()) subscriptions.clear();
    subscribedOn = broker.connection();
    for (const [userId, wakes] of listeners) {
      subscribe(userId);
      for (const wake of wakes) wake();
    }
  });

  return {
    /** Returns how to stop listening. */
    listen(userId: string, wake: () => void): () => void {
      const wakes = listeners.get(userId) ?? new Set();
      wakes.add(wake);
      listeners.set(userId, wakes);
      subscribe(userId);
      return () => {
        wakes.delete(wake);
        if (wakes.size > 0) return;
        listeners.delete(userId);
        subscriptions.get(userId)?.unsubscribe();
        subscriptions.delete(userId);
      };
    },
  };
}
