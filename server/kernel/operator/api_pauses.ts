import { type Pauses, rolePauses } from "../life/pauses.ts";
import type { RoleContext } from "../life/role.ts";
import { sequence, service } from "../life/service.ts";
import { connect } from "../postgres/database.ts";
import { bindStatements, readStatements } from "../postgres/statements.ts";
import type { Pausable } from "./pausable.ts";
import type { PauseStore } from "./pause_routes.ts";

const readWithin = 3000;

/** The pauses as an API with a database follows them, over a connection of its own: a pause is seen also while all others are busy. */
export function apiPauses({ url, pausable, context }: { url: string; pausable: readonly Pausable[]; context: RoleContext }): Pauses {
  const pool = connect({ url, name: `${context.worker} pauses`, max: 1, statementTimeout: readWithin });
  const statements = readStatements(["kernel"]).filter(({ path }) => path[0] === "pauses");
  const { list } = bindStatements<{ pauses: Pick<PauseStore, "list"> }>(pool, statements, context.metrics, readWithin).pauses;
  const pauses = rolePauses({ roles: pausable.map(({ role }) => role), read: list, context });
  const closing = service({ start: async () => {}, stop: () => pool.end({ timeout: 1 }) });
  return { ...pauses, ...sequence([closing, pauses]) };
}
