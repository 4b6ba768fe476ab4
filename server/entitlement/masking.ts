import { masking } from "../kernel/http/masking.ts";

/** Beside a purchase the reason is the client's too. Elsewhere it is an operator's reason for an action, or why a message could not be read. */
export const maskFor = masking({ members: ["purchase_id"], beside: { reason: "purchase_id" } });
