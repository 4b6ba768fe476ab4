import { type Filter, isNarrow } from "./filter.ts";
import { type RowKind, stateNamed } from "./row_kind.ts";

// A filter may match one row in a million, so every read examines a limited number of rows. The index of a state leads to rows that are scattered
// over the table; rows in the order of their ids lie side by side.
const scattered = { aPage: 250, aCount: 200 } as const;
const ofATime = 1000;
const inARow = 10_000;

const isOfATime = ({ created_from, created_to }: Filter) => created_from !== null || created_to !== null;

/** Without a filter a count is exact up to 10,000. One more row shows that there are more; a walk by id also passes rows of other states. */
export const countLimits = (filter: Filter) => ({
  most: 10_000,
  scan: isNarrow(filter) ? scattered.aCount : 10_001,
  scan_all: isOfATime(filter) ? ofATime : isNarrow(filter) ? inARow : 15_000,
});

export const shownGroups = 100;

/** One group more than are shown means that there are more. The index holds every field except the text of the error. */
export const groupLimits = ({ error }: Filter) => ({
  limit: shownGroups + 1,
  scan: error === null ? 2000 : scattered.aPage,
  scan_user: inARow,
});

/** How many rows a page may examine: fewer by the index of a state than by id. Rows that are done have no index of their own. */
export const pageScan = (kind: RowKind, { status, user_id }: Filter): number =>
  user_id === null && status !== null && stateNamed(kind, status).meaning !== "done" ? scattered.aPage : inARow;
