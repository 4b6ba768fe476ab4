import { connect, errors, type NatsConnection } from "@nats-io/transport-node";
import type { NatsAccess } from "../config/nats_access.ts";
import { withTimeout } from "../life/deadline.ts";
import type { Health } from "../life/health.ts";
import { loop } from "../life/loop.ts";
import { type Service, service } from "../life/service.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { markLogged } from "../telemetry/repeats.ts";
import { away, natsRefusals } from "./nats_refusals.ts";

export interface BrokerOptions {
  readonly nats: NatsAccess;
  readonly name: string;
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** A connection to NATS that is made again for ever. It starts without the server; its users check `connected` first. */
export interface Broker extends Service {
  connected(): boolean;
  /** The number of connections made so far. A fact found out on an earlier connection may no longer be true. */
  readonly epoch: number;
  /** Replies to requests of this connection come to subjects below it. */
  readonly inboxPrefix: string;
  /** The live connection. Throws at once while there is none. */
  connection(): NatsConnection;
  onConnect(listener: () => void): void;
  onDisconnect(listener: () => void): void;
}

const connectWithin = 2000;
const closeWithin = 1000;
const askWithin = 5000;

/** Asks over a new connection and closes it. The answer does not depend on the state of any broker. */
export async function byOwnConnection<T>(access: NatsAccess, name: string, ask: (nats: NatsConnection) => Promise<T>): Promise<T> {
  const nats = await connect({ ...access.options(), name, timeout: connectWithin, reconnect: false });
  try {
    return await withTimeout(askWithin, "NATS", ask(nats));
  } finally {
    await withTimeout(closeWithin, "NATS", nats.close()).catch(() => {});
  }
}

// The client does not say why it cannot reconnect, so the broker tries a connection of its own.
const diagnoseEvery = 2000;
/** If NATS refused the connection, the message says why. */
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
      callAll(onConnect);
    } else {
      refusals.disconnected();
      diagnoseAt = performance.now() + diagnoseEvery;
      if (closing) log.info("broker.closed");
      else refusals.logAway();
      connecting.wake();
      callAll(onDisconnect);
    }
  };

  /** A listener that throws does not stop the other listeners or the broker. */
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

  // By default the client gives up after 10 reconnects, and notices a dead server after minutes.
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

  /** A stop does not wait for it: it has its own deadline. */
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
      setUp(false); // a new connection, even if the loss of the old one was not reported
      setUp(true);
    }
    // The end of an old connection says nothing about its successor.
    if (connection === nats) setUp(false);
  }

  const connecting = loop({
    name: "broker.connect",
    runOnce: connectOnce,
    full: Number.POSITIVE_INFINITY,
    interval: () => (up ? 1000 : 250),
    log,
    metrics,
  });

  return {
    ...service({
      async start() {
        refusals.disconnected();
        await connecting.start();
      },
      async stop() {
        await connecting.stop();
        closing = true;
        // close() waits until the last bytes are sent, which never happens if the server hangs.
        if (nats) await withTimeout(closeWithin, "NATS", nats.close()).catch(() => {});
      },
    }),
    connected: () => up,
    get epoch() {
      return epoch;
    },
    inboxPrefix: access.inboxPrefix,
    connection() {
      if (up && nats) return nats;
      // Before the first attempt has failed it is not known to be away.
      if (epoch > 0 && !closing) refusals.logAway();
      throw markLogged(new BrokerAway(refusals.current()));
    },
    onConnect: listener => void onConnect.push(listener),
    onDisconnect: listener => void onDisconnect.push(listener),
  };
}
