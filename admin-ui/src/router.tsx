import { createRootRoute, createRoute, createRouter, lazyRouteComponent, notFound } from "@tanstack/react-router";
import { listedStates, typeNames } from "../../server/kernel/operator/row_kind.ts";
import type { Filter } from "./api/answers.ts";
import { readAuditView } from "./pages/audit/view.ts";
import { readMatchmakingView } from "./pages/matchmaking/view.ts";
import { readUsersView } from "./pages/users/view.ts";
import { readFilter } from "./parts/filter.ts";
import { NotFound, PageError } from "./parts/notices.tsx";
import { readSort, type Sort } from "./parts/row_kinds.ts";
import { readInboxView, readUserView } from "./parts/user_view.ts";
import { Shell } from "./shell/shell.tsx";
import { isKindName, rowKinds } from "./systems.ts";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: PageError });
const states = [...new Set(rowKinds.flatMap(listedStates))];
const types = [...new Set(rowKinds.flatMap(typeNames))];
/** The filter and the sort order of a list. The list ignores states that its kind does not have. */
const listSearch = (search: Record<string, unknown>): Filter & { sort?: Sort } => {
  const sort = readSort(search.sort);
  return { ...readFilter(search, states, types), ...(sort ? { sort } : {}) };
};
const text = (value: unknown) => (typeof value === "string" && value !== "" ? value.slice(0, 200) : undefined);

const overview = createRoute({
  getParentRoute: () => root,
  path: "/",
  validateSearch: (search: Record<string, unknown>): { hours?: string } => {
    const hours = text(search.hours);
    return hours === "6" || hours === "24" ? { hours } : {};
  },
  component: lazyRouteComponent(() => import("./pages/overview/overview.tsx"), "Overview"),
});
const entitlements = createRoute({
  getParentRoute: () => root,
  path: "/entitlements",
  validateSearch: readUserView,
  component: lazyRouteComponent(() => import("./pages/entitlements/entitlements.tsx"), "Entitlements"),
});
const inbox = createRoute({
  getParentRoute: () => root,
  path: "/inbox",
  validateSearch: readInboxView,
  component: lazyRouteComponent(() => import("./pages/inbox/inbox.tsx"), "Inbox"),
});
const list = createRoute({
  getParentRoute: () => root,
  path: "/$kind",
  beforeLoad: ({ params }) => {
    if (!isKindName(params.kind)) throw notFound();
  },
  validateSearch: listSearch,
  component: lazyRouteComponent(() => import("./pages/list/row_list.tsx"), "RowList"),
});
const row = createRoute({
  getParentRoute: () => list,
  path: "$id",
  component: lazyRouteComponent(() => import("./pages/list/row_drawer.tsx"), "RowDrawer"),
});
const failures = createRoute({
  getParentRoute: () => root,
  path: "/failures",
  component: lazyRouteComponent(() => import("./pages/failures/failures.tsx"), "Failures"),
});
const unreadable = createRoute({
  getParentRoute: () => root,
  path: "/failures/unreadable",
  validateSearch: (search: Record<string, unknown>): { which?: "all" } => (search.which === "all" ? { which: "all" } : {}),
  component: lazyRouteComponent(() => import("./pages/failures/dead_letters.tsx"), "DeadLetters"),
});
const unreadableOne = createRoute({
  getParentRoute: () => unreadable,
  path: "$id",
  component: lazyRouteComponent(() => import("./pages/failures/dead_letter_drawer.tsx"), "DeadLetterDrawer"),
});
const journeyStart = createRoute({
  getParentRoute: () => root,
  path: "/journey",
  component: lazyRouteComponent(() => import("./pages/journey/journey.tsx"), "JourneyStart"),
});
const journey = createRoute({
  getParentRoute: () => root,
  path: "/journey/$id",
  component: lazyRouteComponent(() => import("./pages/journey/journey.tsx"), "Journey"),
});
const idempotencyStart = createRoute({
  getParentRoute: () => root,
  path: "/idempotency",
  component: lazyRouteComponent(() => import("./pages/idempotency/idempotency.tsx"), "IdempotencyStart"),
});
const idempotency = createRoute({
  getParentRoute: () => root,
  path: "/idempotency/$key",
  component: lazyRouteComponent(() => import("./pages/idempotency/idempotency.tsx"), "Idempotency"),
});
const consistency = createRoute({
  getParentRoute: () => root,
  path: "/consistency",
  component: lazyRouteComponent(() => import("./pages/consistency/consistency.tsx"), "Consistency"),
});
const settings = createRoute({
  getParentRoute: () => root,
  path: "/settings",
  component: lazyRouteComponent(() => import("./pages/settings/settings.tsx"), "SettingsPage"),
});
const users = createRoute({
  getParentRoute: () => root,
  path: "/users",
  validateSearch: readUsersView,
  component: lazyRouteComponent(() => import("./pages/users/users.tsx"), "Users"),
});
const user = createRoute({
  getParentRoute: () => users,
  path: "$id",
  component: lazyRouteComponent(() => import("./pages/users/user_drawer.tsx"), "UserDrawer"),
});
const matchmaking = createRoute({
  getParentRoute: () => root,
  path: "/matchmaking",
  validateSearch: readMatchmakingView,
  component: lazyRouteComponent(() => import("./pages/matchmaking/matchmaking.tsx"), "Matchmaking"),
});
const match = createRoute({
  getParentRoute: () => matchmaking,
  path: "matches/$id",
  component: lazyRouteComponent(() => import("./pages/matchmaking/match_drawer.tsx"), "MatchDrawer"),
});
const ticket = createRoute({
  getParentRoute: () => matchmaking,
  path: "tickets/$id",
  component: lazyRouteComponent(() => import("./pages/matchmaking/ticket_drawer.tsx"), "TicketDrawer"),
});
const player = createRoute({
  getParentRoute: () => matchmaking,
  path: "players/$id",
  component: lazyRouteComponent(() => import("./pages/matchmaking/player_drawer.tsx"), "PlayerDrawer"),
});
const operations = createRoute({
  getParentRoute: () => root,
  path: "/operations",
  component: lazyRouteComponent(() => import("./pages/operations/operations.tsx"), "Operations"),
});
const operation = createRoute({
  getParentRoute: () => operations,
  path: "$system/$id",
  validateSearch: (search: Record<string, unknown>): { result?: string; outcome?: string } => {
    const [result, outcome] = [text(search.result), text(search.outcome)];
    return { ...(result ? { result } : {}), ...(outcome ? { outcome } : {}) };
  },
  component: lazyRouteComponent(() => import("./pages/operations/operation_drawer.tsx"), "OperationDrawer"),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: "/audit",
  validateSearch: readAuditView,
  component: lazyRouteComponent(() => import("./pages/audit/audit.tsx"), "Audit"),
});

const tree = root.addChildren([
  overview,
  entitlements,
  inbox,
  list.addChildren([row]),
  failures,
  unreadable.addChildren([unreadableOne]),
  journeyStart,
  journey,
  idempotencyStart,
  idempotency,
  consistency,
  users.addChildren([user]),
  matchmaking.addChildren([match, ticket, player]),
  operations.addChildren([operation]),
  audit,
  settings,
]);

/** Filters are plain query parameters, so that people can read and share the address. */
export const consoleRouter = () =>
  createRouter({
    routeTree: tree,
    basepath: "/admin",
    defaultPreload: "intent",
    parseSearch: text => Object.fromEntries(new URLSearchParams(text)),
    stringifySearch: search => {
      const given = Object.entries(search).flatMap(([name, value]) => (value === undefined ? [] : [[name, String(value)]]));
      return given.length > 0 ? `?${new URLSearchParams(given)}` : "";
    },
  });

declare module "@tanstack/react-router" {
  interface Register {
    router: ReturnType<typeof consoleRouter>;
  }
}
