import { number } from "../../parts/format.ts";

/** The most that one answer has. */
export const mostRows = 200;

/** Says that the list may go on, and shows more of it. */
export function ShowMore({ many, limit, showAll }: { many: number; limit: number; showAll: () => void }) {
  if (many < limit) return null;
  return (
    <footer className="flex flex-wrap items-center gap-x-4 gap-y-1 border-t px-4 py-2">
      <p className="text-faint">The newest {number(many)} are shown.</p>
      {limit < mostRows && (
        <button type="button" className="button" onClick={showAll}>
          Show {mostRows}
        </button>
      )}
    </footer>
  );
}
