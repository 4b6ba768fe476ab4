import type { Static } from "@sinclair/typebox";
import type { userRoutes as accountUserRoutes } from "../../../server/account/user_routes.ts";
import type { consistencyRoutes as entitlementConsistency } from "../../../server/entitlement/operator/consistency_routes.ts";
import type { messageRoutes } from "../../../server/entitlement/operator/message_routes.ts";
import type { OutboxCounts } from "../../../server/entitlement/operator/outbox_routes.ts";
import type { OperatorActionsOfSubjectsRow } from "../../../server/entitlement/sql.gen.ts";
import type { traceViewerRoutes } from "../../../server/gateway/console/trace_viewer_routes.ts";
import type { Profile } from "../../../server/gateway/edge/profiles.ts";
import type { Role as AnyRole } from "../../../server/kernel/http/tokens.ts";
import type { filterBody } from "../../../server/kernel/operator/filter.ts";
import type { Count as RowCount, RowCounts, RowGroup, RowGroups } from "../../../server/kernel/operator/list_routes.ts";
import type { outcomes } from "../../../server/kernel/operator/operation_outcome.ts";
import type { operationRoutes } from "../../../server/kernel/operator/operation_routes.ts";
import type { OperationAction } from "../../../server/kernel/operator/row_kind.ts";
import type { rawRoutes } from "../../../server/notification/operator/raw_routes.ts";
import type { NotificationsAttemptsRow } from "../../../server/notification/sql.gen.ts";
import type { resolutionRoutes } from "../../../server/orders/operator/resolution_routes.ts";

/** The member of a route tree at a path. */
type At<Tree, Path extends string> = Path extends `${infer Head}/${infer Rest}`
  ? Head extends keyof Tree
    ? At<Tree[Head], Rest>
    : unknown
  : Path extends keyof Tree
    ? Tree[Path]
    : unknown;

/** The response body of a GET route, as its handler returns it. `unknown` if the server has no such route, so that its use is an error. */
export type Answer<Routes extends (...options: never[]) => { "~Routes": unknown }, Path extends string> =
  At<ReturnType<Routes>["~Routes"], Path> extends { get: { response: { 200: infer Body } } } ? Body : unknown;

/** Narrows columns whose values a CHECK constraint limits: generated types say `string`. A column that the server does not have is an error. */
export type Narrow<Row, Columns extends { [name in keyof Columns]: name extends keyof Row ? Row[name] : never }> = Omit<
  Row,
  keyof Columns
> &
  Columns;

/** The roles of users, without the gateway's own. */
export type Role = Exclude<AnyRole, "GATEWAY">;
export type Me = Profile;
export type TraceViewer = Answer<typeof traceViewerRoutes, "admin/api/gateway/trace-viewer">;
export type User = Narrow<
  Answer<typeof accountUserRoutes, "users/:user_id">,
  { account_status: "ACTIVE" | "SUSPENDED" | "ERASED"; roles: readonly Role[] }
>;

export type Action = OperatorActionsOfSubjectsRow;
export type Filter = Readonly<Static<ReturnType<typeof filterBody>>>;

export type Counts = RowCounts & Partial<Pick<OutboxCounts, "unconfirmed">>;
/** Exact up to a bound, then `more`. */
export type Count = RowCount;
/** A listed group has rows, so its sample is set. */
type Group = Narrow<RowGroup, { first_at: string; last_at: string; sample_error: string; sample_id: string }>;
export type Groups = Narrow<RowGroups, { groups: readonly Group[] }>;

type OperationRow = Answer<typeof operationRoutes, "ops/operations">["operations"][number];
export type Operation = Narrow<
  OperationRow,
  { action: OperationAction; status: "RUNNING" | "DONE" | "CANCELLED" | "STOPPED"; filter: Filter }
>;
export type Outcome = NonNullable<Operation["outcome"]>;
export type OutcomeName = (typeof outcomes)[number];

type EntitlementConsistency = Answer<typeof entitlementConsistency, "ops/consistency">;
/** Only entitlement has a stream and a reconciler. */
export type Consistency = Pick<EntitlementConsistency, "invariants"> & Partial<Omit<EntitlementConsistency, "invariants">>;
export type Invariant = Consistency["invariants"][number];
export type Attempt = Narrow<NotificationsAttemptsRow, { outcome: "sent" | "retry" | "dead" }>;
export type OrdersOfConcern = Answer<typeof resolutionRoutes, "ops/orders/attention">;
export type UnknownOrdersPage = Answer<typeof resolutionRoutes, "ops/orders/unknown">;
export type RawDeadLetterCounts = Answer<typeof rawRoutes, "ops/raw-dead-letters/counts">;
export type PublishedMessage = Answer<typeof messageRoutes, "ops/outbox/:event_id/message">;
