import { masking } from "../kernel/http/masking.ts";

/** The tag is what a client wrote about the order; the broker's answer repeats it. */
export const maskFor = masking({ members: ["client_tag", "broker_answer"] });
