import { Problem } from "../../kernel/http/problem.ts";
import { type Loop, loop } from "../../kernel/life/loop.ts";
import { actorsPath, type Standing } from "../../kernel/operator/operation_standing.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { continueTrace } from "../../kernel/telemetry/trace.ts";
import type { Downstream, SystemName } from "../calls/downstream.ts";
import { asGateway, type Profile } from "../edge/people.ts";

export interface OperationActorsOptions {
  readonly services: Downstream;
  readonly every: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

const systems: readonly SystemName[] = ["entitlement", "notification"];
const atOnce = 5;

/**
 * Tells the services what account says of the people whose bulk operations are running. Services cannot ask account themselves, and a message
 * on every suspension could be lost; asked for again and again, nothing is. Account is asked itself, not what was kept of its answers.
 */
export function operationActors({ services, every, log, metrics }: OperationActorsOptions): Loop {
  async function standingOf(userId: string, errand: ReturnType<typeof asGateway>): Promise<Standing> {
    try {
      const { account_status, roles } = await services.ask<Profile>("account", `/users/${encodeURIComponent(userId)}`, errand);
      return { account_status, roles: [...roles] };
    } catch (error) {
      // An id that account refuses names nobody either.
      if (error instanceof Problem && (error.status === 404 || error.status === 400)) return { account_status: "UNKNOWN", roles: [] };
      throw error;
    }
  }

  async function confirm(system: SystemName, stopping: AbortSignal): Promise<void> {
    const errand = asGateway({ requestId: crypto.randomUUID(), traceparent: continueTrace(null).traceparent });
    const { actors } = await services.ask<{ actors: readonly string[] }>(system, actorsPath, errand);
    for (let n = 0; n < actors.length && !stopping.aborted; n += atOnce)
      await Promise.all(actors.slice(n, n + atOnce).map(userId => confirmOne(system, userId, errand).catch(notConfirmed(system))));
  }

  async function confirmOne(system: SystemName, userId: string, errand: ReturnType<typeof asGateway>): Promise<void> {
    const body = await standingOf(userId, errand);
    await services.ask(system, `${actorsPath}/${encodeURIComponent(userId)}`, errand, { method: "PUT", body });
  }

  const notConfirmed = (system: SystemName) => (error: unknown) => {
    if (!(error instanceof Problem)) throw error;
    log.debug({ system, error }, "gateway.operations_not_confirmed");
  };

  /**
   * What cannot be reached is asked the next time; until then the operations wait. Neither a service that hangs nor a person of whom account says
   * nothing holds up the others.
   */
  async function runOnce(stopping: AbortSignal): Promise<number> {
    await Promise.all(systems.map(system => confirm(system, stopping).catch(notConfirmed(system))));
    return 0;
  }

  return loop({ name: "gateway.operation_actors", runOnce, full: Number.POSITIVE_INFINITY, interval: every, log, metrics });
}
