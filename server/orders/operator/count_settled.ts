import type { OrdersSql } from "../sql.gen.ts";

export interface SettledCounters {
  readonly sent: { inc(): void };
  readonly aborted: { inc(labels: { code: string }): void };
}

/** The same statement. The orders that it settles are counted, each once. */
export const countSettled =
  (resolve: OrdersSql["orders"]["resolve"], { sent, aborted }: SettledCounters): typeof resolve =>
  async settlement => {
    const rows = await resolve(settlement);
    for (const { status } of rows) {
      if (status === "succeeded") sent.inc();
      else aborted.inc({ code: settlement.code! });
    }
    return rows;
  };
