import type { AnyElysia } from "elysia";
import { authenticator } from "./auth.ts";
import { readJson } from "./body.ts";
import { isAdmitted, requires } from "./callers.ts";
import { type Cursors, cursors } from "./cursor.ts";
import { isAway } from "./database.ts";
import { healthRoutes } from "./health.ts";
import { httpApp } from "./http.ts";
import { giveNotice, httpServer } from "./http_server.ts";
import { patiently } from "./loop.ts";
import { openapiRoutes } from "./openapi.ts";
import { actorsPath } from "./operation_standing.ts";
import type { RoleContext } from "./role.ts";
import { group, type Service, service } from "./service.ts";
import type { KernelSettings } from "./settings.ts";
import { type Share, sharedAnswers } from "./shared_answers.ts";
import { openStore, type Store } from "./store.ts";
import { tokenVerifier } from "./tokens.ts";
import { leadToVerbs, pathOf } from "./verbs.ts";

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
  /** For what everybody who watches asks again and again: however many they are, the database is asked once. */
  readonly share: Share;
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

export const aboutAnswers =
  "What operators list and count may be what another one was told a moment ago (OPS_ANSWERS_FOR); cache-control: no-cache asks anew.";

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
  const answers = sharedAnswers(kernel.opsAnswersFor);
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
    share: answers.share,
  };

  const app = httpApp({ log, metrics, health, logRequests: kernel.logRequests, unlogged: [actorsPath, `${actorsPath}/:user_id`] });
  const isOperators = (request: Request) => pathOf(request).startsWith("/ops/") && isAdmitted(request);
  // Whoever acted sees what came of it: what was asked before is not told after, however the action ended.
  app.mapResponse(({ request }) => {
    if (!["GET", "HEAD"].includes(request.method) && isOperators(request)) answers.forget();
  });
  // And who says so, because it was done elsewhere, by another process or a worker.
  app.onBeforeHandle(({ request }) => {
    if (request.headers.get("cache-control") === "no-cache" && isOperators(request)) answers.forget();
  });
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
