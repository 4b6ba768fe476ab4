import { type Static, type TLiteral, type TUnsafe, Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import type { Caller } from "../http/auth.ts";
import { callerOf, type Requires } from "../http/callers.ts";
import type { OperatorTurns } from "../http/operator_turns.ts";
import { Problem } from "../http/problem.ts";
import { longText, sha256Hex } from "../http/text.ts";
import { sqlState } from "../postgres/database.ts";
import { type Filter, filterBody, filterOf } from "./filter.ts";
import type { Counts } from "./list_routes.ts";
import type { Operation } from "./operation_routes.ts";
import { countLimits } from "./read_limits.ts";
import {
  aboutRetrying,
  actionNames,
  derivedState,
  eligibleState,
  listedStates,
  type RowAction,
  type RowKind,
  stateThat,
} from "./row_kind.ts";

const strict = { additionalProperties: false };
const actionOf = (kind: RowKind) =>
  Type.Union(actionNames(kind).map(name => Type.Literal(name)) as TLiteral<RowAction>[], {
    description: actionNames(kind)
      .map(name => `${name}: ${meanings[name]} ${eligibleState(kind, name).name} rows${kind.actions[name] === "ADMIN" ? " (ADMIN)" : ""}`)
      .join("; "),
  }) as unknown as TUnsafe<RowAction>;
const meanings: Readonly<Record<RowAction, string>> = { requeue: "start again", retry: "try at once", discard: "delete" };

/** The statements for bulk actions on a kind's rows. Both select the same rows. */
export interface BulkSql {
  preview(parameters: Filter & { action: string }): Promise<{ eligible: number; set_hash: string; sample: readonly string[] }[]>;
  start(
    parameters: Filter & {
      action: string;
      filter: Record<string, string | number>;
      set_hash: string;
      expected: number;
      actor: string;
      reason: string;
    },
  ): Promise<{ operation_id: string }[]>;
}

export interface BulkOptions {
  readonly sql: BulkSql;
  /** How many rows of each status match, as the lists count them. */
  readonly counts: Counts;
  /** An operation as the routes of operations return it. */
  readonly describe: (operation_id: string) => Promise<Operation | undefined>;
  readonly requires: Requires;
  readonly operators: OperatorTurns;
  /** A person has just started it, so they may do it. */
  readonly confirm: (operation_id: string) => Promise<unknown>;
  /** Called when an operation was started. */
  readonly started: () => void;
  /** The most rows without ADMIN. */
  readonly cap: number;
}

/** The rows that a bulk action would change, and the others that match, by state. */
export interface BulkPreview {
  readonly count: number;
  readonly eligible: number;
  readonly ineligible: Readonly<Record<string, number>>;
  readonly set_hash: string;
  readonly sample: readonly string[];
}

/** The database cancelled the statement, so nothing was changed. */
export function tooLarge(error: unknown): never {
  if (sqlState(error) !== "57014") throw error;
  throw new Problem(
    422,
    "SET_TOO_LARGE",
    "the set could not be walked in time and nothing was changed; narrow the filter, e.g. by its time",
  );
}

const isAdmin = ({ person }: Caller) => person?.roles.includes("ADMIN") ?? false;

/** A set of another size than expected is not started, so the cap is checked against the expected size. */
export function checkCap(expected: number, cap: number, caller: Caller): void {
  if (expected > cap && !isAdmin(caller))
    throw new Problem(403, "OVER_CAP", `more than ${cap} at once take the role ADMIN`, { extra: { cap } });
}

export const setChanged = () => new Problem(409, "SET_CHANGED", "what matches is no longer what the preview showed; look at a new one");

const gerunds: Readonly<Record<RowAction, string>> = { requeue: "requeuing", retry: "retrying", discard: "discarding" };

/** Bulk actions by filter: a preview names the set by its hash, and only the same set can be started. */
export function bulkRoutes(kind: RowKind, { sql, counts, describe, confirm, requires, operators, started: notify, cap }: BulkOptions) {
  const [filter, action] = [filterBody(kind), actionOf(kind)];
  const [waiting, derived] = [stateThat(kind, "waiting").name, derivedState(kind)?.name];
  const startBody = Type.Object(
    {
      action,
      filter,
      set_hash: sha256Hex("set_hash of the preview"),
      expected: Type.Integer({ minimum: 0, maximum: 2_147_483_647, description: "eligible of the preview" }),
      reason: longText("why; kept in the audit of every row"),
    },
    strict,
  );

  /** How many rows match, by state. */
  async function matching(given: Filter): Promise<Map<string, number>> {
    const asked = given.status === null ? listedStates(kind) : [...new Set([given.status, derived ?? given.status])];
    const rows = await counts({ ...given, status: asked, ...countLimits(given) });
    return new Map(rows.map(({ status, count }) => [status, count]));
  }

  /** Those of them that the action does not change. A row in the derived state is a waiting row too, and is counted once. */
  function others(found: Map<string, number>, given: Filter, eligible: string): Map<string, number> {
    if (derived !== undefined) {
      const alsoWaiting = found.get(derived) ?? 0;
      if (given.status !== derived) found.delete(derived);
      if (eligible === derived && found.has(waiting)) found.set(waiting, Math.max(0, found.get(waiting)! - alsoWaiting));
    }
    found.delete(eligible);
    return found;
  }

  const preview = (wanted: RowAction, asked: Static<typeof filter>, caller: Caller) => {
    const given = filterOf(asked);
    return operators.walkOnce(caller, `${kind.name} ${wanted} ${JSON.stringify(given)}`, () => look(wanted, given).catch(tooLarge));
  };

  async function look(wanted: RowAction, given: Filter): Promise<BulkPreview> {
    const state = eligibleState(kind, wanted).name;
    const isPartOf = wanted === "requeue" && kind.neverRequeued !== undefined;
    const [[found], matched] = await Promise.all([
      sql.preview({ ...given, action: wanted }),
      given.status === state && !isPartOf ? new Map<string, number>() : matching(given),
    ]);
    const { eligible, set_hash, sample } = found!;
    const never = isPartOf ? (matched.get(state) ?? 0) - eligible : 0;
    const ineligible = Object.fromEntries([...others(matched, given, state), [state, never] as const].filter(([, many]) => many > 0));
    const count = Object.values(ineligible).reduce((sum, more) => sum + more, eligible);
    return { count, eligible, ineligible, set_hash, sample };
  }

  async function start(body: Static<typeof startBody>, caller: Caller): Promise<Operation> {
    if (kind.actions[body.action] === "ADMIN" && !isAdmin(caller))
      throw new Problem(403, "FORBIDDEN", `${gerunds[body.action]} takes the role ADMIN`);
    checkCap(body.expected, cap, caller);
    const begin = () => sql.start({ ...filterOf(body.filter), ...body, actor: caller.clientId }).catch(tooLarge);
    const [started] = await operators.walk(caller, begin);
    if (!started) throw setChanged();
    await confirm(started.operation_id);
    notify();
    return (await describe(started.operation_id))!;
  }

  return new Elysia({ normalize: false })
    .post(`/ops/${kind.name}/bulk/preview`, ({ body, request }) => preview(body.action, body.filter, callerOf(request)), {
      body: Type.Object({ action, filter }, strict),
      ...requires("ops:write"),
      detail: {
        summary: "What a bulk action would change",
        description: `Changes nothing. Only ${eligibleState(kind, "requeue").name} ones are eligible${kind.neverRequeued === undefined ? "" : ` (except ${kind.neverRequeued})`}, and for a retry only ${eligibleState(kind, "retry").name} ones. ${aboutRetrying(kind)}. set_hash identifies exactly the eligible ones. The others are counted as in the lists: where many match, up to the limit of a count. Scope: ops:write.`,
      },
    })
    .post(
      `/ops/${kind.name}/bulk`,
      async ({ body, request, set }) => {
        const operation = await start(body, callerOf(request));
        set.status = 202;
        return operation;
      },
      {
        body: startBody,
        ...requires("ops:write"),
        detail: {
          summary: "Start a bulk action on the set of a preview",
          description: `Done in batches; each row changes together with its audit. 409 SET_CHANGED if the set is no longer the same. More than ${cap} rows${kind.actions.discard === "ADMIN" ? ", and discarding," : ""} take the role ADMIN. Scope: ops:write.`,
        },
      },
    );
}
