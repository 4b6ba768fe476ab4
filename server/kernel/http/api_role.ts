import type { AnyElysia } from "elysia";
import type { KernelSettings } from "../config/settings.ts";
import { publicHealthRoutes } from "../life/health.ts";
import { retryWhile } from "../life/loop.ts";
import type { RoleContext } from "../life/role.ts";
import { type Service, sequence, service } from "../life/service.ts";
import { singleFlight } from "../life/single_flight.ts";
import { isAway } from "../postgres/database.ts";
import { openStore, type Pool, type Store } from "../postgres/store.ts";
import { authenticator, type FindKey } from "./auth.ts";
import { readJson } from "./body.ts";
import { type HoldUp, isAdmitted, requires } from "./callers.ts";
import { type Cursors, cursors } from "./cursor.ts";
import { pathOf, rewriteCustomMethods } from "./custom_methods.ts";
import { httpApp } from "./http.ts";
import { giveNotice, httpServer } from "./http_server.ts";
import { openapiRoutes } from "./openapi.ts";
import { type OperatorTurns, operatorTurns } from "./operator_turns.ts";
import { unavailable } from "./problem.ts";
import { requestTurns } from "./request_turns.ts";
import { type Share, sharedReads } from "./shared_reads.ts";
import { tokenVerifier } from "./tokens.ts";

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
  /** The statements for operators, by connections of their own. */
  readonly operatorSql: T;
  readonly operators: OperatorTurns;
  /** Whether the database answers; many who ask at once are one question. */
  readonly askDatabase: () => Promise<unknown>;
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
  /** Paths whose requests are not logged: other processes of Kenri call them every few seconds. */
  readonly unlogged?: readonly string[];
  readonly routes: (parts: ApiParts<T>) => readonly AnyElysia[];
}

const mostReadersWaiting = { mostWaiting: 1000, mostWaitingPerOwner: 500 };
// What operators ask and do: of the systems, and of users.
const isForOperators = (request: Request) => /^\/(ops|admin)\//.test(pathOf(request));

export const aboutAnswers =
  "What operators list and count may be what another one was told a moment ago (OPS_ANSWERS_FOR); cache-control: no-cache asks anew.";

/** The HTTP side of a system. It listens at once and says what it waits for; it takes requests when its database is ready. */
export function apiRole<T extends KernelSql>({ system, url, port, about, kernel, context, unlogged = [], routes }: ApiOptions<T>): Service {
  const { log, health, metrics, worker } = context;
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
  // Who knocks and whether we are ready is told whatever readers and operators do; and who makes up keys does not hold up those who have one.
  const [vital, strangers] = ["vital", "strangers"].map(purpose =>
    store.pool({ purpose, connections: 1, deadline: kernel.database.deadline }),
  ) as [Pool<T>, Pool<T>];
  const readiness = singleFlight<unknown>();
  const askDatabase = () => readiness.ask("database", vital.ask);
  const operatorPool = store.pool({ purpose: "operators", ...kernel.operators });
  const operators = operatorTurns(kernel.operators);
  const answers = sharedReads(kernel.opsAnswersFor);
  let listCursors: Cursors | undefined;
  const verifyToken = kernel.jwksUrl ? tokenVerifier(kernel.jwksUrl, system) : undefined;
  const findKey: FindKey = async (key_id, isKnown) => (await (isKnown ? vital : strangers).statements.api_keys.find({ key_id }))[0];
  const authenticate = authenticator(findKey, verifyToken);
  // A client that reads as fast as it can has a quarter of the connections at most, so the others wait behind few of its requests.
  const { connections, deadline } = kernel.database;
  const readers = requestTurns({ atOnce: connections, perOwner: Math.ceil(connections / 4), wait: deadline, ...mostReadersWaiting }, () =>
    unavailable("too many reads are under way, of this client or of all together; try again"),
  );
  const holdUp: HoldUp = async (request, caller) => {
    if (isForOperators(request)) await operators.begin(request, caller);
    else if (request.method === "GET") await readers.begin(request, caller.clientId);
  };
  const parts: ApiParts<T> = {
    store,
    operatorSql: operatorPool.statements,
    operators,
    askDatabase,
    requires: requires(authenticate, request => readJson(request, kernel.bodyWithin), holdUp),
    cursors: () => {
      if (!listCursors) throw new Error("cursors are asked for before the start");
      return listCursors;
    },
    share: answers.share,
  };

  const app = httpApp({ log, metrics, health, logRequests: kernel.logRequests, unlogged });
  app.wrap(handle => async (request: Request) => {
    try {
      return await handle(request);
    } finally {
      operators.end(request);
      readers.end(request);
    }
  });
  const isOperators = (request: Request) => pathOf(request).startsWith("/ops/") && isAdmitted(request);
  const isAction = (request: Request) => !["GET", "HEAD"].includes(request.method) && !pathOf(request).endsWith("/preview");
  // Whoever acted sees what came of it: what was asked before is not told after, however the action ended.
  app.mapResponse(({ request }) => {
    if (!isOperators(request) || !isAction(request)) return;
    answers.forget();
    operators.forget();
  });
  // And who says so, because it was done elsewhere, by another process or a worker.
  app.onBeforeHandle(({ request }) => {
    if (request.headers.get("cache-control") === "no-cache" && isOperators(request)) answers.forget();
  });
  health.askDatabase = askDatabase;
  app.use(publicHealthRoutes(health));
  for (const route of routes(parts)) app.use(route);
  openapiRoutes(app, about);
  rewriteCustomMethods(app);

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
      const [secret] = await retryWhile(() => store.statements.secrets.find({ name: "cursor" }), isAway, stopping);
      // Opened now: later there may be none left to open.
      await retryWhile(() => Promise.all([vital.ask(), strangers.ask()]), isAway, stopping);
      listCursors = cursors(secret!.value);
      health.state = "ready";
      log.info({ system }, "ready");
    },
    stop: () => giveNotice(health, kernel.shutdownNotice),
  });
  return sequence([closing, server, preparing, ready]);
}
