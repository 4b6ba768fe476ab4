/** What the charts of the flow show of notification. */
export const flowSteps = ["taken_in", "sent", "retried", "failed"] as const;
