/** The step of orders in the counts of the flow: the sender has an outcome. Its time is since the order was queued. */
export const settledStep = "settled";
