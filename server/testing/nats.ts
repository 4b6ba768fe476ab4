import { type ConnectionOptions, connect, type NatsConnection } from "@nats-io/transport-node";
import { readSettings } from "../kernel/config/config.ts";
import { type NatsAccess, natsAccess, natsSettings } from "../kernel/config/nats_access.ts";

/** The access of a broker with these variables and nothing else. */
export const natsAccessWith = (environment: Record<string, string>, role = "test:role"): NatsAccess =>
  natsAccess(readSettings(natsSettings, environment), {}, role);

/** The client ignores credentials in server URLs: this passes them on. */
export const connectTo = (url: string, options: ConnectionOptions = {}): Promise<NatsConnection> =>
  connect({ ...natsAccessWith({ NATS_URL: url }).options(), timeout: 2000, ...options });
