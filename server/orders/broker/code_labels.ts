import { ownCodes } from "./reason_codes.ts";

// More different codes than a broker has. Each is a time series.
const most = 50;
const rest = "OTHER";

interface ByCode {
  inc(labels: { code: string }): void;
}

/** Counts by reason code. A broker may make up codes, so those after the first 50 count as OTHER. Kenri's own are always named. */
export function countByCode(counter: ByCode): ByCode {
  const named = new Set<string>(ownCodes);
  const limit = named.size + most;
  return {
    inc({ code }) {
      if (named.size < limit) named.add(code);
      counter.inc({ code: named.has(code) ? code : rest });
    },
  };
}
