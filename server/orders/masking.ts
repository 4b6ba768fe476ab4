import { masking } from "../kernel/http/masking.ts";

/** What the client wrote about the order, and what the broker answered. */
export const maskFor = masking({ members: ["client_tag", "broker_answer"] });
