import type { Operation } from "../api.ts";
import { number } from "../format.ts";

/** How far a bulk operation is: done, skipped, failed of all. */
export function OperationProgress({ operation }: { operation: Operation }) {
  const { total, done, skipped, failed } = operation;
  const settled = done + skipped + failed;
  return (
    <div className="flex min-w-40 flex-col gap-1">
      <progress
        className="progress h-1.5 w-full overflow-hidden rounded-full"
        max={Math.max(total, 1)}
        value={total === 0 ? 1 : settled}
        aria-label={`${number(settled)} of ${number(total)}`}
      />
      <p className="mono whitespace-nowrap text-soft">
        {number(done)} / {number(total)}
        {skipped > 0 && <span className="text-retry"> · {number(skipped)} skipped</span>}
        {failed > 0 && <span className="text-failed"> · {number(failed)} failed</span>}
      </p>
    </div>
  );
}
