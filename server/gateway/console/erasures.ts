import { Problem } from "../../kernel/http/problem.ts";
import { type Loop, loop } from "../../kernel/life/loop.ts";
import { type ErasureReport, type ErasureRequest, erasuresPath } from "../../kernel/operator/erasure_routes.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import { isLogged, repeatsOf } from "../../kernel/telemetry/repeats.ts";
import { unsampledTrace } from "../../kernel/telemetry/trace.ts";
import type { CallContext, Downstream } from "../calls/downstream.ts";
import { asGateway } from "../edge/profiles.ts";
import type { SystemName } from "../services.ts";

export interface ErasuresOptions {
  readonly services: Downstream;
  /** The systems that operators reach, account among them. */
  readonly systems: readonly SystemName[];
  /** Removes what the gateway itself stores about a user. */
  readonly forget: (userId: string) => Promise<void>;
  readonly every: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

type Reports = Record<string, ErasureReport>;
interface Pending extends ErasureRequest {
  readonly age_seconds: number;
}

/** Events and matches come from these. Notification waits until they send no more about the user. */
const sources: readonly SystemName[] = ["entitlement", "matchmaking"];
const waitsFor = (reason: string): ErasureReport => ({ state: "WORKING", waiting_for: [reason], changed: {} });
const areDone = (reports: Reports, names: readonly string[]) => names.every(name => reports[name]?.state === "DONE");

/**
 * Carries erasures from account to the other systems, and their reports back. Services do not call each other, so it is done here. Every call is
 * idempotent, and account stores the reports. So after a crash another gateway continues, and several gateways do not disturb each other.
 */
export function erasures({ services, systems, forget, every, log, metrics }: ErasuresOptions): Loop {
  const oldest = metrics.gauge("erasure_oldest_seconds", "Age of the oldest erasure of a user that is not done; 0 if there is none.");
  const others = systems.filter(name => name !== "account");

  async function ask(system: SystemName, { pseudonym, user_id, emails, requested_by, reason }: Pending, context: CallContext) {
    const body: ErasureRequest = { pseudonym, user_id, emails, requested_by, reason };
    try {
      return await services.ask<ErasureReport>(system, erasuresPath, context, { method: "POST", body });
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      return waitsFor(`${system}, which answers: ${error.message}`);
    }
  }

  async function carry(pending: Pending, context: CallContext): Promise<void> {
    const { pseudonym, user_id } = pending;
    await forget(user_id);
    const reports: Reports = {};
    const visit = async (names: readonly SystemName[]) => {
      const found = await Promise.all(names.map(async system => [system, await ask(system, pending, context)] as const));
      Object.assign(reports, Object.fromEntries(found));
    };
    await visit(others.filter(name => name !== "notification"));
    if (areDone(reports, sources)) await visit(["notification"]);
    else reports.notification = waitsFor("entitlement and matchmaking");
    const { state } = await services.ask<{ state: string }>("account", `/erasures/${encodeURIComponent(pseudonym)}`, context, {
      method: "PUT",
      body: { systems: reports },
    });
    if (state !== "DONE") return;
    await forget(user_id);
    log.info({ pseudonym }, "erasure.done");
  }

  async function runOnce(stopping: AbortSignal): Promise<number> {
    const context = asGateway({ requestId: crypto.randomUUID(), traceparent: unsampledTrace().traceparent });
    let pending: readonly Pending[];
    try {
      ({ erasures: pending } = await services.ask<{ erasures: readonly Pending[] }>("account", "/erasures", context));
    } catch (error) {
      oldest.remove();
      if (!(error instanceof Problem)) throw error;
      return 0;
    }
    oldest.set(Math.max(0, ...pending.map(({ age_seconds }) => age_seconds)));
    for (const one of pending) {
      if (stopping.aborted) break;
      await carry(one, context).catch(error => {
        const { pseudonym } = one;
        if (!isLogged(error)) repeatsOf(log).write("warn", { pseudonym, error }, "erasure.not_carried", { key: pseudonym });
      });
    }
    return 0;
  }

  return loop({ name: "gateway.erasures", runOnce, full: Number.POSITIVE_INFINITY, interval: every, log, metrics });
}
