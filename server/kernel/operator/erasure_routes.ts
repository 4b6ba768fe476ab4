import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Requires } from "../http/callers.ts";
import { Problem } from "../http/problem.ts";
import { longText, text } from "../http/text.ts";

/** What a system says about an erasure. `changed`: rows or records, by table. */
export interface ErasureReport {
  readonly state: "WORKING" | "DONE";
  readonly waiting_for: readonly string[];
  readonly changed: Readonly<Record<string, number>>;
}

export const erasuresPath = "/ops/erasures";

const wanted = Type.Object(
  {
    pseudonym: Type.String({
      pattern: "^erased-[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$",
      description: "what replaces the user's id, the same in every system",
    }),
    user_id: text("the user"),
    emails: Type.Array(
      Type.String({ pattern: "^[^ \\t\\n\\r\\f\\v]+@[^ \\t\\n\\r\\f\\v]+$", maxLength: 320, description: "an e-mail address" }),
      { maxItems: 1000, description: "present and former addresses of the user" },
    ),
    requested_by: text("who asked for it"),
    reason: longText("why; kept in the audit"),
  },
  { additionalProperties: false },
);
export type ErasureRequest = typeof wanted.static;

/** Starts an erasure, or returns what became of it. Undefined if another erasure of the user is under way. */
export type StartErasure = (request: ErasureRequest) => Promise<ErasureReport | undefined>;

/** Where erasures are brought to a system, again and again until it is done. */
export const erasureRoutes = (requires: Requires, start: StartErasure) =>
  new Elysia({ normalize: false }).post(
    erasuresPath,
    async ({ body }) => {
      const report = await start(body);
      if (!report) throw new Problem(409, "ERASURE_CONFLICT", "another erasure of this user is under way in this system");
      return report;
    },
    {
      body: wanted,
      ...requires({ roles: ["GATEWAY"] }),
      detail: {
        summary: "Erase a user in this system",
        description: "Starts it, or returns its state: repeat it until the state is DONE. Role: GATEWAY.",
      },
    },
  );

interface StartedRow {
  readonly state: string;
  readonly waiting_for: unknown;
  readonly changed: unknown;
}

/** The erasures of a system with a database: its janitor works on them. */
export const startErasure =
  (erasures: { start(request: ErasureRequest): Promise<StartedRow[]> }): StartErasure =>
  async request =>
    (await erasures.start(request))[0] as ErasureReport | undefined;
