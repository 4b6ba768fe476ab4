/** The steps of notification in the charts of the flow. */
export const flowSteps = ["taken_in", "sent", "retried", "failed"] as const;
export type FlowStep = (typeof flowSteps)[number];
