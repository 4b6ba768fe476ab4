/** What the page lists, and what is looked up, kept in the address. Without a list it shows the matches. */
export interface MatchmakingView {
  readonly mode?: string;
  readonly list?: EndedStatus;
  readonly find?: string;
}

export const endedStatuses = ["EXPIRED", "INVALID"] as const;
export type EndedStatus = (typeof endedStatuses)[number];

const most = 200;
const text = (value: unknown) => (typeof value === "string" && value.trim() !== "" ? value.trim().slice(0, most) : undefined);

/** Ignores an unknown list, so that a partly invalid link still opens. */
export function readMatchmakingView(search: Record<string, unknown>): MatchmakingView {
  const [mode, find] = [text(search.mode), text(search.find)];
  const list = endedStatuses.find(status => status === search.list);
  return { ...(mode ? { mode } : {}), ...(list ? { list } : {}), ...(find ? { find } : {}) };
}

/** The lists without what was looked up. */
export const listOnly = ({ find: _, ...view }: MatchmakingView): MatchmakingView => view;

/** The mode of the address, unless matchmaking has no such mode. */
export const knownMode = (mode: string | undefined, modes: readonly string[] | undefined): string | undefined =>
  mode !== undefined && (modes === undefined || modes.includes(mode)) ? mode : undefined;
