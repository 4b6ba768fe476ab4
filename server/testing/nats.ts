import { type ConnectionOptions, connect, type NatsConnection } from "@nats-io/transport-node";
import { readSettings } from "../kernel/config/config.ts";
import { type NatsAccess, natsAccess, natsSettings } from "../kernel/config/nats_access.ts";

/** How a broker connects with these variables and nothing else. */
export const natsAccessWith = (environment: Record<string, string>, role = "test:role"): NatsAccess =>
  natsAccess(readSettings(natsSettings, environment), {}, role);

/** The client ignores credentials in its servers: this takes them from the URL. */
export const connectTo = (url: string, options: ConnectionOptions = {}): Promise<NatsConnection> =>
  connect({ ...natsAccessWith({ NATS_URL: url }).options(), timeout: 2000, ...options });
