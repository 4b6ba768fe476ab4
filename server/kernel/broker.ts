import { connect, type NatsConnection } from "@nats-io/transport-node";
import { within } from "./deadline.ts";
import type { Health } from "./health.ts";
import type { Log } from "./log.ts";
import { loop } from "./loop.ts";
import type { Metrics } from "./metrics.ts";
import { type Service, service } from "./service.ts";

export interface BrokerOptions {
  readonly url: string;
  readonly name: string;
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** A connection to NATS that never gives up. It starts and works without the server; what needs it asks first. */
export interface Broker extends Service {
  connected(): boolean;
  /** Counts connections made so far: what was found out before the last one may no longer be true. */
  readonly epoch: number;
  /** The live connection, or an error at once while there is none. */
  connection(): NatsConnection;
  onConnect(listener: () => void): void;
  onDisconnect(listener: () => void): void;
}

const closeWithin = 1000;
const askWithin = 5000;

/** Asks by a connection of its own, which is closed again: whatever a broker believes of its connection. */
export async function byOwnConnection<T>(url: string, name: string, ask: (nats: NatsConnection) => Promise<T>): Promise<T> {
  const nats = await connect({ servers: url, name, timeout: 2000, reconnect: false });
  try {
    return await within(askWithin, "NATS", ask(nats));
  } finally {
    await within(closeWithin, "NATS", nats.close()).catch(() => {});
  }
}

export class BrokerAway extends Error {
  override readonly name = "BrokerAway";
  constructor() {
    super("NATS is not connected");
  }
}

export function createBroker({ url, name, log, health, metrics }: BrokerOptions): Broker {
  const onConnect: (() => void)[] = [];
  const onDisconnect: (() => void)[] = [];
  let nats: NatsConnection | undefined;
  let up = false;
  let epoch = 0;
  let closing = false;

  const setUp = (now: boolean) => {
    if (up === now) return;
    up = now;
    if (now) {
      epoch++;
      health.fine("broker");
      log.info("broker.connected");
      callAll(onConnect);
    } else {
      health.trouble("broker", "NATS is not connected");
      log[closing ? "info" : "warn"]("broker.disconnected");
      callAll(onDisconnect);
    }
  };

  /** One that throws keeps neither the others from their call nor the broker from following its connection. */
  function callAll(listeners: readonly (() => void)[]): void {
    for (const listener of listeners) {
      try {
        listener();
      } catch (error) {
        log.warn({ error }, "broker.listener_failed");
      }
    }
  }

  // The client's defaults give up after 10 reconnects and notice a dead server after minutes.
  async function connectOnce(): Promise<number> {
    if (nats && !nats.isClosed()) return 0;
    setUp(false);
    nats = await connect({
      servers: url,
      name,
      timeout: 2000,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 200,
      pingInterval: 5000,
      maxPingOut: 2,
    }).catch(() => undefined);
    if (!nats) return 0;
    void follow(nats);
    setUp(true);
    return 0;
  }

  async function follow(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === "disconnect" || status.type === "staleConnection") setUp(false);
      if (status.type !== "reconnect") continue;
      setUp(false); // a new connection, also if the loss of the old one was not seen
      setUp(true);
    }
    // The end of a connection that has a successor says nothing about that.
    if (connection === nats) setUp(false);
  }

  const connecting = loop({ name: "broker.connect", runOnce: connectOnce, full: Number.POSITIVE_INFINITY, interval: 250, log, metrics });

  return {
    ...service({
      async start() {
        health.trouble("broker", "NATS is not connected");
        await connecting.start();
      },
      async stop() {
        await connecting.stop();
        closing = true;
        // It waits for its last bytes to go out, which they do not if the server hangs.
        if (nats) await within(closeWithin, "NATS", nats.close()).catch(() => {});
      },
    }),
    connected: () => up,
    get epoch() {
      return epoch;
    },
    connection() {
      if (!up || !nats) throw new BrokerAway();
      return nats;
    },
    onConnect: listener => void onConnect.push(listener),
    onDisconnect: listener => void onDisconnect.push(listener),
  };
}
