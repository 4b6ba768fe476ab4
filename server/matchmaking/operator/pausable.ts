import type { Pausable } from "../../kernel/operator/pausable.ts";

/** What operators can pause here. */
export const pausable = [
  {
    role: "matchmaking:matcher",
    means: "Players can join and leave the queues. Nobody is paired until you resume. Tickets that expire meanwhile end without a match.",
  },
  {
    role: "matchmaking:relay",
    means: "Players are paired. Their matches wait, so notification does not announce them until you resume.",
  },
] as const satisfies readonly Pausable[];
