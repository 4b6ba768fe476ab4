import type { AnyElysia } from "elysia";
import { authenticator } from "./auth.ts";
import { readJson } from "./body.ts";
import { requires } from "./callers.ts";
import { type Cursors, cursors } from "./cursor.ts";
import { isAway } from "./database.ts";
import { healthRoutes } from "./health.ts";
import { httpApp } from "./http.ts";
import { giveNotice, httpServer } from "./http_server.ts";
import { patiently } from "./loop.ts";
import { openapiRoutes } from "./openapi.ts";
import type { RoleContext } from "./role.ts";
import { group, type Service, service } from "./service.ts";
import type { KernelSettings } from "./settings.ts";
import { openStore, type Store } from "./store.ts";
import { tokenVerifier } from "./tokens.ts";
import { leadToVerbs } from "./verbs.ts";

/** The statements every system has. */
interface KernelSql {
  readonly api_keys: {
    find(parameters: {
      key_id: string;
    }): Promise<{ client_id: string; secret_sha256: Uint8Array; scopes: readonly string[]; live: boolean }[]>;
  };
  readonly secrets: { find(parameters: { name: string }): Promise<{ value: Uint8Array }[]> };
}

export interface ApiParts<T> {
  readonly store: Store<T>;
  readonly requires: ReturnType<typeof requires>;
  readonly cursors: () => Cursors;
}

export interface ApiOptions<T> {
  readonly system: string;
  readonly url: string;
  readonly port: number;
  readonly about: { readonly title: string; readonly description: string };
  readonly kernel: KernelSettings;
  readonly context: RoleContext;
  readonly routes: (parts: ApiParts<T>) => readonly AnyElysia[];
}

/** The HTTP side of a system. It listens at once and says what it waits for; it takes requests when its database is ready. */
export function apiRole<T extends KernelSql>({ system, url, port, about, kernel, context, routes }: ApiOptions<T>): Service {
  const { log, health, metrics, metricsText, worker } = context;
  const store = openStore<T>({
    system,
    url,
    name: worker,
    connections: kernel.database.connections,
    deadline: kernel.database.deadline,
    log,
    health,
    metrics,
  });
  let listCursors: Cursors | undefined;
  const verifyToken = kernel.jwksUrl ? tokenVerifier(kernel.jwksUrl, system) : undefined;
  const authenticate = authenticator(async key_id => (await store.statements.api_keys.find({ key_id }))[0], verifyToken);
  const parts: ApiParts<T> = {
    store,
    requires: requires(authenticate, request => readJson(request, kernel.bodyWithin)),
    cursors: () => {
      if (!listCursors) throw new Error("cursors are asked for before the start");
      return listCursors;
    },
  };

  const app = httpApp({ log, metrics, health });
  app.use(healthRoutes({ health, askDatabase: store.ask, metricsText }));
  for (const route of routes(parts)) app.use(route);
  openapiRoutes(app, about);
  leadToVerbs(app);

  // Stopped in reverse: say so at /readyz, take no more and finish what is under way, then close the database.
  const closing = service({ start: async () => {}, stop: store.stop });
  const server = httpServer(app, { port, kernel, log });
  const preparing = service({
    async start(stopping) {
      const giveUp = () => void store.stop();
      stopping.addEventListener("abort", giveUp);
      await store.start();
      stopping.removeEventListener("abort", giveUp);
    },
    stop: async () => {},
  });
  const ready = service({
    async start(stopping) {
      const [secret] = await patiently(() => store.statements.secrets.find({ name: "cursor" }), isAway, stopping);
      listCursors = cursors(secret!.value);
      health.state = "ready";
      log.info({ system }, "ready");
    },
    stop: () => giveNotice(health, kernel.shutdownNotice),
  });
  return group([closing, server, preparing, ready]);
}
