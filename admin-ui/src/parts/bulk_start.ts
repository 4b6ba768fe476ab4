import { ApiError, type Operation, type Preview } from "../api/client.ts";

export interface Starting {
  readonly shown: Preview;
  /** Whether rows may have left the set since it was shown: those that retry come and go by themselves. */
  readonly mayShrink: boolean;
  readonly preview: () => Promise<Preview>;
  readonly start: (set: Pick<Preview, "set_hash" | "eligible">) => Promise<Operation>;
}

// The set changes a few times a second at most, and a start takes some milliseconds.
const tries = 5;

const hasChanged = (error: unknown) => error instanceof ApiError && error.code === "SET_CHANGED";

/**
 * Starts what was shown. If rows left a set that may shrink, a new preview names the rest and that is started: never more rows than the person
 * has seen.
 */
export async function startShown({ shown, mayShrink, preview, start }: Starting): Promise<Operation> {
  let set = shown;
  for (let attempt = 1; ; attempt++) {
    try {
      return await start(set);
    } catch (error) {
      if (!mayShrink || !hasChanged(error) || attempt === tries) throw error;
      set = await preview();
      if (set.eligible === 0 || set.eligible > shown.eligible) throw error;
    }
  }
}
