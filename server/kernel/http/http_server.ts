import type { AnyElysia } from "elysia";
import { withTimeout } from "../life/deadline.ts";
import { type Service, service } from "../life/service.ts";
import type { Log } from "../telemetry/log.ts";
import { rewriteCustomMethods } from "./custom_methods.ts";

export interface HttpServerOptions {
  readonly port: number;
  readonly host: string;
  /** Whether several processes may listen on the port; the kernel then spreads connections over them. */
  readonly isShared: boolean;
  /** How long a stop waits for the requests under way. */
  readonly stopWithin: number;
  /** Called after each response, also after a failed one. */
  readonly finished?: ((request: Request) => void) | undefined;
  readonly log: Log;
  readonly listening: string;
}

export interface HttpServer extends Service {
  /** Undefined before the start. */
  port(): number | undefined;
  /** The IP address of the TCP peer. */
  peerOf(request: Request): string | undefined;
  /** Keeps the connection of a request open for so many seconds without a byte; otherwise it is closed after `idleTimeout`. */
  keepOpen(request: Request, seconds: number): void;
}

type Fetch = (request: Request) => Response | Promise<Response>;

/** An app that listens from start to stop. A stop refuses new connections and waits for the requests under way. */
export function httpServer(app: AnyElysia, { port, host, isShared, stopWithin, finished, log, listening }: HttpServerOptions): HttpServer {
  let server: Bun.Server<undefined> | undefined;
  return {
    ...service({
      start: async () => {
        server = Bun.serve({
          port,
          hostname: host,
          reusePort: isShared,
          development: false,
          maxRequestBodySize: 8_388_608,
          idleTimeout: 20,
          fetch: handlerOf(app, finished),
        });
        log.info({ url: `http://${host}:${server.port}` }, listening);
      },
      // A request that hangs must not keep the process from its end.
      stop: async () => {
        if (!server) return;
        if (stopWithin > 0) await withTimeout(stopWithin, "the last requests", server.stop()).catch(() => server?.stop(true));
        else await server.stop(true);
      },
    }),
    port: () => server?.port,
    peerOf: request => server?.requestIP(request)?.address,
    keepOpen: (request, seconds) => server?.timeout(request, seconds),
  };
}

/** The app's request handler, with custom methods. The app must have all its routes by now. */
function handlerOf(app: AnyElysia, finished: HttpServerOptions["finished"]): Fetch {
  const rewrite = rewriteCustomMethods(app.routes);
  const handle: Fetch = app.compile().fetch;
  if (!finished)
    return request => {
      rewrite?.(request);
      return handle(request);
    };
  return async request => {
    rewrite?.(request);
    try {
      return await handle(request);
    } finally {
      finished(request);
    }
  };
}
