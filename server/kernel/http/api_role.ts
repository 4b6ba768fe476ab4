import type { AnyElysia } from "elysia";
import type { KernelSettings } from "../config/settings.ts";
import { retryWhile } from "../life/loop.ts";
import type { RoleContext } from "../life/role.ts";
import { type Service, service } from "../life/service.ts";
import { singleFlight } from "../life/single_flight.ts";
import { isAway } from "../postgres/database.ts";
import { openStore, type Pool, type Store } from "../postgres/store.ts";
import { authenticator, type FindKey } from "./auth.ts";
import { readJson } from "./body.ts";
import { type AwaitTurn, isAdmitted, requires } from "./callers.ts";
import { type Cursors, cursors } from "./cursor.ts";
import { pathOf } from "./custom_methods.ts";
import { httpRole } from "./http_role.ts";
import type { About } from "./openapi.ts";
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
  /** The statements for operators, on connections of their own. */
  readonly operatorSql: T;
  readonly operators: OperatorTurns;
  /** Rejects when the database is away. Concurrent calls share one query. */
  readonly askDatabase: () => Promise<unknown>;
  readonly requires: ReturnType<typeof requires>;
  readonly cursors: () => Cursors;
  /** Shares the results of reads that many operators repeat, so that the database runs each of them once. */
  readonly share: Share;
  /** For a request that now waits for so many seconds: its turn as a reader ends, and its connection stays open. */
  readonly beginWait: (request: Request, seconds: number) => void;
}

export interface ApiOptions<T> {
  readonly system: string;
  readonly url: string;
  readonly port: number;
  readonly about: About;
  readonly kernel: KernelSettings;
  readonly context: RoleContext;
  /** Routes whose requests are not logged: other processes of Kenri call them every few seconds. */
  readonly unlogged?: readonly string[];
  readonly routes: (parts: ApiParts<T>) => readonly AnyElysia[];
}

// After a wait the response still needs a statement. In seconds.
const untilAnswered = 20;
const mostReadersWaiting = { mostWaiting: 1000, mostWaitingPerOwner: 500 };
const isForOperators = (request: Request) => /^\/(ops|admin)\//.test(pathOf(request));
const isAdmittedOperator = (request: Request) => pathOf(request).startsWith("/ops/") && isAdmitted(request);
const isAction = (request: Request) => !["GET", "HEAD"].includes(request.method) && !pathOf(request).endsWith("/preview");

export const aboutAnswers =
  "Lists and counts for operators may be shared with other operators for a moment (OPS_ANSWERS_FOR); cache-control: no-cache reads anew.";

/** The HTTP API of a system with a database. It listens at once; it accepts requests when its database is ready. */
export function apiRole<T extends KernelSql>({ system, url, port, about, kernel, context, unlogged = [], routes }: ApiOptions<T>): Service {
  const { log, health, metrics, worker } = context;
  const { connections, deadline } = kernel.database;
  const store = openStore<T>({ system, url, name: worker, connections, deadline, log, health, metrics });
  // Readiness and known keys do not wait behind reads or operators; neither do they wait behind invented keys, which have a connection of their own.
  const [vital, unknownKeys] = ["vital", "unknown-keys"].map(purpose => store.pool({ purpose, connections: 1, deadline })) as [
    Pool<T>,
    Pool<T>,
  ];
  const readinessQuery = singleFlight<unknown>();
  const askDatabase = () => readinessQuery.ask("database", vital.ask);
  const operatorPool = store.pool({ purpose: "operators", ...kernel.operators });
  const operators = operatorTurns(kernel.operators);
  const reads = sharedReads(kernel.opsAnswersFor);
  let listCursors: Cursors | undefined;
  const verifyToken = kernel.jwksUrl ? tokenVerifier(kernel.jwksUrl, system) : undefined;
  const findKey: FindKey = async (key_id, isKnown) => (await (isKnown ? vital : unknownKeys).statements.api_keys.find({ key_id }))[0];
  const authenticate = authenticator(findKey, verifyToken);
  // One client gets a quarter of the connections at most, so other clients wait behind few of its requests.
  const readers = requestTurns({ atOnce: connections, perOwner: Math.ceil(connections / 4), wait: deadline, ...mostReadersWaiting }, () =>
    unavailable("too many reads are under way, of this client or of all together; try again"),
  );
  const awaitTurn: AwaitTurn = async (request, caller) => {
    if (isForOperators(request)) await operators.begin(request, caller);
    else if (request.method === "GET") await readers.begin(request, caller.clientId);
  };
  const parts: ApiParts<T> = {
    store,
    operatorSql: operatorPool.statements,
    operators,
    askDatabase,
    requires: requires(authenticate, request => readJson(request, kernel.bodyWithin), awaitTurn),
    cursors: () => {
      if (!listCursors) throw new Error("cursors are not available before the start");
      return listCursors;
    },
    share: reads.share,
    beginWait(request, seconds) {
      readers.end(request);
      http.keepOpen(request, seconds + untilAnswered);
    },
  };

  const finished = (request: Request) => {
    operators.end(request);
    readers.end(request);
  };
  const http = httpRole({ system, port, kernel, context, unlogged, finished });
  // After an action nobody gets an older result, whatever the action's outcome.
  http.app.mapResponse(({ request }) => {
    if (!isAdmittedOperator(request) || !isAction(request)) return;
    reads.clear();
    operators.forget();
  });
  // For changes that another process or a worker made.
  http.app.onBeforeHandle(({ request }) => {
    if (request.headers.get("cache-control") === "no-cache" && isAdmittedOperator(request)) reads.clear();
  });
  health.askDatabase = askDatabase;

  const closing = service({ start: async () => {}, stop: store.stop });
  const opening = service({
    async start(stopping) {
      const giveUp = () => void store.stop();
      stopping.addEventListener("abort", giveUp);
      await store.start();
      stopping.removeEventListener("abort", giveUp);
    },
    stop: async () => {},
  });
  const preparing = service({
    async start(stopping) {
      const [secret] = await retryWhile(() => store.statements.secrets.find({ name: "cursor" }), isAway, stopping);
      // Connected now: later the database may have no free connection.
      await retryWhile(() => Promise.all([vital.ask(), unknownKeys.ask()]), isAway, stopping);
      listCursors = cursors(secret!.value);
    },
    stop: async () => {},
  });
  return http.serve({ about, routes: routes(parts), before: [closing], after: [opening, preparing] });
}
