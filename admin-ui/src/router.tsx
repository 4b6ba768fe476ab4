import { createRootRoute, createRoute, createRouter, lazyRouteComponent } from "@tanstack/react-router";
import type { Filter } from "./api/answers.ts";
import { readAuditView } from "./pages/audit/view.ts";
import { readUsersView } from "./pages/users/view.ts";
import { readFilter } from "./parts/filter.ts";
import { type Kind, notifications, outbox, readSort, type Sort, tabsOf } from "./parts/kinds.ts";
import { NotFound, PageError } from "./parts/notices.tsx";
import { readInboxView, readUserView } from "./parts/user_view.ts";
import { Shell } from "./shell/shell.tsx";

const root = createRootRoute({ component: Shell, notFoundComponent: NotFound, errorComponent: PageError });
/** The filter and the sort order of a list. */
const listSearch =
  (kind: Kind) =>
  (search: Record<string, unknown>): Filter & { sort?: Sort } => {
    const states = tabsOf(kind).map(({ name }) => name);
    const sort = readSort(search.sort);
    return { ...readFilter(search, states), ...(sort ? { sort } : {}) };
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
const outboxList = createRoute({
  getParentRoute: () => root,
  path: "/outbox",
  validateSearch: listSearch(outbox),
  component: lazyRouteComponent(() => import("./pages/list/lists.tsx"), "OutboxList"),
});
const outboxOne = createRoute({
  getParentRoute: () => outboxList,
  path: "$id",
  component: lazyRouteComponent(() => import("./pages/outbox/event_drawer.tsx"), "EventDrawer"),
});
const notificationList = createRoute({
  getParentRoute: () => root,
  path: "/notifications",
  validateSearch: listSearch(notifications),
  component: lazyRouteComponent(() => import("./pages/list/lists.tsx"), "NotificationList"),
});
const notificationOne = createRoute({
  getParentRoute: () => notificationList,
  path: "$id",
  component: lazyRouteComponent(() => import("./pages/notifications/notification_drawer.tsx"), "NotificationDrawer"),
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
  outboxList.addChildren([outboxOne]),
  notificationList.addChildren([notificationOne]),
  failures,
  unreadable.addChildren([unreadableOne]),
  journeyStart,
  journey,
  idempotencyStart,
  idempotency,
  consistency,
  users.addChildren([user]),
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
