import type { Health } from "../../kernel/life/health.ts";
import { loop } from "../../kernel/life/loop.ts";
import type { Service } from "../../kernel/life/service.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { IdentityProvider } from "./identity_provider.ts";

export interface ProviderCheckOptions {
  readonly provider: Pick<IdentityProvider, "discover">;
  readonly every: number;
  readonly log: Log;
  readonly health: Health;
  readonly metrics: Metrics;
}

const part = "identity provider";

/**
 * Reports an identity provider that does not answer. Browsers are sent to it by its cached metadata, so without this no request of the gateway fails
 * while nobody can sign in. The first check is after one interval: the provider may start after the gateway.
 */
export function providerCheck({ provider, every, log, health, metrics }: ProviderCheckOptions): Service {
  let isFirst = true;
  let isAway = false;

  async function check(): Promise<number> {
    if (isFirst) {
      isFirst = false;
      return 0;
    }
    try {
      await provider.discover();
      if (isAway) log.info({}, "gateway.idp_back");
      isAway = false;
      health.fine(part);
    } catch (error) {
      if (!isAway) log.warn({ error }, "gateway.idp_away");
      isAway = true;
      health.trouble(
        part,
        "the identity provider does not answer: nobody can sign in, and open sessions continue; check it and OIDC_ISSUER",
      );
    }
    return 0;
  }
  return loop({ name: "idp.check", runOnce: check, full: 1, interval: every, log, metrics });
}
