import { masking } from "../kernel/http/masking.ts";

/** Payloads and messages hold all that clients wrote about a user. */
export const maskFor = masking({ members: [] });
