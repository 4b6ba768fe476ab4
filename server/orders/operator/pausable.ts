import type { Pausable } from "../../kernel/operator/pausable.ts";

/** What operators can pause here. */
export const pausable = [
  {
    role: "orders:sender",
    means: "Orders are accepted. They wait and do not reach the broker until you resume. Orders that expire meanwhile are aborted.",
  },
] as const satisfies readonly Pausable[];
