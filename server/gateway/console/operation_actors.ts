import { Problem } from "../../kernel/http/problem.ts";
import { type Loop, loop } from "../../kernel/life/loop.ts";
import { actorsPath, type Standing } from "../../kernel/operator/operation_standing.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { unsampledTrace } from "../../kernel/telemetry/trace.ts";
import type { Downstream } from "../calls/downstream.ts";
import { asGateway, type Profile } from "../edge/profiles.ts";
import type { SystemName } from "../services.ts";

export interface OperationActorsOptions {
  readonly services: Downstream;
  /** Where people can run bulk operations. */
  readonly systems: readonly SystemName[];
  readonly every: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

const atOnce = 5;

/**
 * Sends the services the account status and roles of people whose bulk operations are running. Services cannot call account themselves, and a
 * message at every suspension could be lost; polling loses nothing. Account itself is called, not the cache of profiles.
 */
export function operationActors({ services, systems, every, log, metrics }: OperationActorsOptions): Loop {
  async function standingOf(userId: string, context: ReturnType<typeof asGateway>): Promise<Standing> {
    try {
      const { account_status, roles } = await services.ask<Profile>("account", `/users/${encodeURIComponent(userId)}`, context);
      return { account_status: account_status === "ERASED" ? "UNKNOWN" : account_status, roles: [...roles] };
    } catch (error) {
      // An id that account refuses is no user either.
      if (error instanceof Problem && (error.status === 404 || error.status === 400)) return { account_status: "UNKNOWN", roles: [] };
      throw error;
    }
  }

  async function confirm(system: SystemName, stopping: AbortSignal): Promise<void> {
    const context = asGateway({ requestId: crypto.randomUUID(), traceparent: unsampledTrace().traceparent });
    const { actors } = await services.ask<{ actors: readonly string[] }>(system, actorsPath, context);
    for (let n = 0; n < actors.length && !stopping.aborted; n += atOnce)
      await Promise.all(actors.slice(n, n + atOnce).map(userId => confirmOne(system, userId, context).catch(notConfirmed(system))));
  }

  async function confirmOne(system: SystemName, userId: string, context: ReturnType<typeof asGateway>): Promise<void> {
    const body = await standingOf(userId, context);
    await services.ask(system, `${actorsPath}/${encodeURIComponent(userId)}`, context, { method: "PUT", body });
  }

  const notConfirmed = (system: SystemName) => (error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    log.debug({ system, error }, "gateway.operations_not_confirmed");
  };

  /**
   * A service that cannot be reached is called again in the next run; until then its operations wait. Neither a service that hangs nor a person
   * whom account does not return delays the others.
   */
  async function runOnce(stopping: AbortSignal): Promise<number> {
    await Promise.all(systems.map(system => confirm(system, stopping).catch(notConfirmed(system))));
    return 0;
  }

  return loop({ name: "gateway.operation_actors", runOnce, full: Number.POSITIVE_INFINITY, interval: every, log, metrics });
}
