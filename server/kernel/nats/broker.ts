import { connect, errors, type NatsConnection } from "@nats-io/transport-node";
import type { NatsAccess } from "../config/nats_access.ts";
import { withTimeout } from "../life/deadline.ts";
import type { Health } from "../life/health.ts";
import { loop } from "../life/loop.ts";
import { type Service, service } from "../life/service.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { away, natsRefusals } from "./nats_refusals.ts";

export interface BrokerOptions {
  readonly nats: NatsAccess;
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
  /** Replies to what this connection asks come below it. */
  readonly inboxPrefix: string;
  /** The live connection, or an error at once while there is none. */
  connection(): NatsConnection;
  onConnect(listener: () => void): void;
  onDisconnect(listener: () => void): void;
}

const connectWithin = 2000;
const closeWithin = 1000;
const askWithin = 5000;

/** Asks by a connection of its own, which is closed again: whatever a broker believes of its connection. */
export async function byOwnConnection<T>(access: NatsAccess, name: string, ask: (nats: NatsConnection) => Promise<T>): Promise<T> {
  const nats = await connect({ ...access.options(), name, timeout: connectWithin, reconnect: false });
  try {
    return await withTimeout(askWithin, "NATS", ask(nats));
  } finally {
    await withTimeout(closeWithin, "NATS", nats.close()).catch(() => {});
  }
}

// While the client connects again it does not say what keeps it from that, so the broker finds out beside it.
const diagnoseEvery = 2000;
/** The message says why, if NATS refused the connection. */
export class BrokerAway extends Error {
  override readonly name = "BrokerAway";
  constructor(readonly refusal?: string) {
    super(refusal ?? away);
  }
}

export function createBroker({ nats: access, name, log, health, metrics }: BrokerOptions): Broker {
  const refusals = natsRefusals({ access, log, health, metrics });
  const onConnect: (() => void)[] = [];
  const onDisconnect: (() => void)[] = [];
  let nats: NatsConnection | undefined;
  let up = false;
  let epoch = 0;
  let closing = false;
  let diagnosing: Promise<void> | undefined;
  let diagnoseAt = 0;

  const setUp = (now: boolean) => {
    if (up === now) return;
    up = now;
    if (now) {
      epoch++;
      refusals.connected();
      log.info("broker.connected");
      callAll(onConnect);
    } else {
      refusals.disconnected();
      diagnoseAt = performance.now() + diagnoseEvery;
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

  async function connectOnce(): Promise<number> {
    if (nats && !nats.isClosed()) {
      if (!up) diagnose();
      return 0;
    }
    setUp(false);
    nats = await open().catch(refusals.noConnection);
    if (!nats) return 0;
    void follow(nats);
    setUp(true);
    return 0;
  }

  // The client's defaults give up after 10 reconnects and notice a dead server after minutes.
  const open = async () =>
    connect({
      ...access.options(),
      name,
      timeout: connectWithin,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 200,
      pingInterval: 5000,
      maxPingOut: 2,
    });

  /** A stop does not wait for it: it ends by itself. */
  function diagnose(): void {
    if (diagnosing || performance.now() < diagnoseAt) return;
    diagnosing = byOwnConnection(access, `${name} diagnosis`, async () => {})
      .catch(error => void (up || closing || refusals.noConnection(error)))
      .finally(() => {
        diagnosing = undefined;
        diagnoseAt = performance.now() + diagnoseEvery;
      });
  }

  async function follow(connection: NatsConnection): Promise<void> {
    for await (const status of connection.status()) {
      if (status.type === "disconnect" || status.type === "staleConnection") setUp(false);
      if (status.type === "error") {
        if (status.error instanceof errors.PermissionViolationError) refusals.notPermitted(status.error);
        else diagnoseAt = 0;
      }
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
        refusals.disconnected();
        await connecting.start();
      },
      async stop() {
        await connecting.stop();
        closing = true;
        // It waits for its last bytes to go out, which they do not if the server hangs.
        if (nats) await withTimeout(closeWithin, "NATS", nats.close()).catch(() => {});
      },
    }),
    connected: () => up,
    get epoch() {
      return epoch;
    },
    inboxPrefix: access.inboxPrefix,
    connection() {
      if (!up || !nats) throw new BrokerAway(refusals.current());
      return nats;
    },
    onConnect: listener => void onConnect.push(listener),
    onDisconnect: listener => void onDisconnect.push(listener),
  };
}
