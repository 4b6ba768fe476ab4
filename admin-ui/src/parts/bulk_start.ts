import type { BulkPreview } from "../../../server/kernel/operator/bulk_routes.ts";
import type { Operation } from "../api/answers.ts";
import { ApiError } from "../api/client.ts";

export interface Starting {
  readonly shown: BulkPreview;
  /** Whether rows may leave the set after the preview. Retrying rows do so without an operator. */
  readonly mayShrink: boolean;
  readonly preview: () => Promise<BulkPreview>;
  readonly start: (set: Pick<BulkPreview, "set_hash" | "eligible">) => Promise<Operation>;
}

// The set changes a few times per second at most. A start takes milliseconds.
const tries = 5;

const hasChanged = (error: unknown) => error instanceof ApiError && error.code === "SET_CHANGED";

/**
 * Starts the operation on the previewed rows. If rows left a set that may shrink, it previews again and starts the smaller set: never more
 * rows than the operator has seen.
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
