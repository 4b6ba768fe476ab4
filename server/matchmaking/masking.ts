import { masking } from "../kernel/http/masking.ts";

/** What the game said of a player, and where the players meet. */
export const maskFor = masking({ members: ["session"], whole: ["attributes"] });
