import { pause } from "../life/deadline.ts";
import type { Health } from "../life/health.ts";
import { type Service, service } from "../life/service.ts";

export interface ReadinessOptions {
  readonly health: Health;
  /** How long /readyz answers 503 before the stop goes on, so that load balancers send no more requests. */
  readonly notice: number;
  readonly isReady?: () => void;
}

/** Ready from start to stop: the last service of a process to start and the first to stop. */
export const readiness = ({ health, notice, isReady }: ReadinessOptions): Service =>
  service({
    async start() {
      health.state = "ready";
      isReady?.();
    },
    async stop() {
      health.state = "stopping";
      health.waitingFor = "its end";
      await pause(notice);
    },
  });
