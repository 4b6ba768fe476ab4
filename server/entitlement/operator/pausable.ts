import type { Pausable } from "../../kernel/operator/pausable.ts";

/** What operators can pause here. */
export const pausable = [
  {
    role: "entitlement:relay",
    means: "Grants and revokes are accepted. Their events wait in the outbox, so users are not notified of them until you resume.",
  },
] as const satisfies readonly Pausable[];
