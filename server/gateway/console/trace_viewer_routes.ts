import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { SessionGuard } from "../edge/session_guard.ts";
import { consoleRoles } from "./operator_routes.ts";

/** Where the console links to traces. */
export const traceViewerRoutes = (url: string | undefined, guard: SessionGuard) =>
  new Elysia({ normalize: false }).get("/admin/api/gateway/trace-viewer", () => ({ url: url ?? null }), {
    ...guard.signedIn(consoleRoles),
    query: Type.Object({}, { additionalProperties: false }),
    detail: {
      summary: "The page of a trace in the trace viewer",
      description: "TRACE_VIEWER_URL, with {trace_id} for the id of the trace; null if it is not set. Role: VIEWER, OPERATOR or ADMIN.",
    },
  });
