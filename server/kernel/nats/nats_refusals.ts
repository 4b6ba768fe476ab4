import { errors } from "@nats-io/transport-node";
import { type NatsAccess, UnreadableCreds } from "../config/nats_access.ts";
import type { Health } from "../life/health.ts";
import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import { repeatsOf } from "../telemetry/repeats.ts";

/** Why NATS refused a connection, in one sentence without a secret. An outage is not a refusal. */
interface Refusal {
  readonly cause: "credentials" | "tls" | "files";
  readonly says: string;
}

export interface RefusalsOptions {
  readonly access: NatsAccess;
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
}

/** The part of health for permissions that a connected role lacks. Fine again with the next connection. */
const permissions = "broker_permissions";
export const away = "NATS is not connected";
// There can be as many subjects as users. Further violations are only counted in the metric, further causes in the sums of `broker.disconnected`.
const violationsLogged = 20;
const causesLogged = 20;

/**
 * Reports lost and refused connections and refused subjects: in health, in a counter, and in the log. The loss has a line with sums, a cause one line until
 * the next connection.
 */
export function natsRefusals({ access, log, health, metrics }: RefusalsOptions) {
  const counter = metrics.counter("nats_refused_total", "What NATS refused: connections by their cause, and subjects (permission).", [
    "cause",
  ]);
  const repeats = repeatsOf(log);
  const logged = new Set<string>();
  const violations = new Set<string>();
  let current: string | undefined;
  let notAllowed = false;

  /** A line for the first call, attempt or connection that failed; the others are counted. */
  function logAway(): void {
    const says = `NATS (${access.servers.join(", ")}) is not connected. Requests go on; what has to be published or consumed waits, and nothing is lost. Check that NATS runs and can be reached from here`;
    repeats.write("warn", { servers: access.servers, says }, "broker.disconnected");
  }

  return {
    /** Why NATS refused the last attempt to connect. */
    current: () => current,
    logAway,
    connected(): void {
      current = undefined;
      if (!repeats.over("broker.disconnected", undefined, { servers: access.servers }, "broker.connected"))
        log.info({ servers: access.servers }, "broker.connected");
      logged.clear();
      violations.clear();
      health.fine("broker");
      if (notAllowed) health.fine(permissions);
      notAllowed = false;
    },
    disconnected(): void {
      current = undefined;
      health.trouble("broker", away);
    },
    noConnection(error: unknown): undefined {
      const refusal = refusalOf(error, access);
      current = refusal?.says;
      health.trouble("broker", current ?? away);
      logAway();
      if (refusal) counter.inc({ cause: refusal.cause });
      const what = current ?? String((error as Error | undefined)?.message);
      if (logged.has(what) || logged.size >= causesLogged) return;
      logged.add(what);
      if (refusal) log.error({ error, cause: refusal.says, servers: access.servers }, "broker.refused");
      else log.warn({ error, servers: access.servers }, "broker.unreachable");
    },
    /** The connection stays, but an operation of the role has no effect. */
    notPermitted({ operation, subject }: InstanceType<typeof errors.PermissionViolationError>): void {
      counter.inc({ cause: "permission" });
      const what = `${operation} ${subject}`;
      notAllowed = true;
      health.trouble(permissions, `NATS does not let ${access.who} ${what}; check its permissions (docs/security.md)`);
      if (violations.has(what) || violations.size >= violationsLogged) return;
      violations.add(what);
      log.error({ operation, subject, who: access.who }, "broker.not_permitted");
    },
  };
}

const tlsFiles = "NATS_CA_FILE, NATS_CERT_FILE and NATS_KEY_FILE";

function refusalOf(error: unknown, { who, credentialsIn, usesTls }: NatsAccess): Refusal | undefined {
  if (error instanceof UnreadableCreds) return { cause: "files", says: `${away}: ${error.message}; check the path and its permissions` };
  if (error instanceof errors.UserAuthenticationExpiredError)
    return { cause: "credentials", says: `NATS says that the credentials of ${who} have expired; renew ${credentialsIn}` };
  // A client that was too slow to authenticate was not refused: the machine is busy, the password may be right.
  if (error instanceof errors.AuthorizationError && !/timeout/i.test(error.message))
    return { cause: "credentials", says: `NATS refuses the credentials of ${who} (${error.message}); check ${credentialsIn}` };
  const tls = tlsTroubleOf(error, usesTls);
  return tls === undefined ? undefined : { cause: "tls", says: `TLS with NATS fails (${tls}); check ${tlsFiles}` };
}

/** The code of the TLS library, or the message of the client if TLS or one of its files is missing. */
function tlsTroubleOf(error: unknown, usesTls: boolean): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = "" } = error as NodeJS.ErrnoException;
  if (/CERT|SSL|TLS|SIGNATURE|ISSUER/.test(code)) return code;
  // This is how a handshake ends if the server requires a client certificate and gets none, or an unknown one.
  if (usesTls && /^(ECONNRESET|EPIPE|EBADF)$/.test(code))
    return "NATS ended the handshake, as it does without a client certificate that it knows";
  return /\btls\b|certificate|doesn't exist|\bPEM\b|\bSSL\b/i.test(error.message) ? error.message : undefined;
}
