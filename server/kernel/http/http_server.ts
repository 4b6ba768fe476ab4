import type { AnyElysia } from "elysia";
import type { KernelSettings } from "../config/settings.ts";
import { withTimeout } from "../life/deadline.ts";
import type { Health } from "../life/health.ts";
import { type Service, service } from "../life/service.ts";
import type { Log } from "../telemetry/log.ts";

export interface HttpServerOptions {
  readonly port: number;
  readonly kernel: KernelSettings;
  readonly log: Log;
}

/** An app that listens from start to stop; a stop takes no more requests and waits for those under way. */
export const httpServer = (app: AnyElysia, { port, kernel: { host, shutdownWithin }, log }: HttpServerOptions): Service =>
  service({
    start: async () => {
      app.listen({ port, hostname: host });
      log.info({ url: `http://${host}:${app.server?.port}` }, "http.listening");
    },
    // A request that waits for something that hangs does not keep the others from their end.
    stop: async () => void (await withTimeout(shutdownWithin / 2, "the last requests", app.stop()).catch(() => app.stop(true))),
  });

/** Says at /readyz that this process ends, for as long as it takes until nobody is sent here any more. */
export async function giveNotice(health: Health, notice: number): Promise<void> {
  health.state = "stopping";
  health.waitingFor = "its end";
  await Bun.sleep(notice);
}
