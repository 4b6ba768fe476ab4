import type { Pausable } from "../../kernel/operator/pausable.ts";

/** What operators can pause here. */
export const pausable = [
  {
    role: "notification:consumer",
    means: "Events are published and wait in the streams, so users are not notified of grants, revokes and matches until you resume.",
  },
  {
    role: "notification:sender",
    means: "Events are consumed. Their notifications wait, so users do not get them until you resume.",
  },
] as const satisfies readonly Pausable[];
