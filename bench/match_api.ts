import type { Ticket } from "../server/matchmaking/tickets/ticket.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { testMint } from "../server/testing/tokens.ts";

/** A player with a token. It is valid for 30 s. */
export interface ApiPlayer {
  readonly userId: string;
  readonly token: string;
}

/** Roles of matchmaking with their defaults, and a stand-in for the gateway. */
export async function matchApi(kenri: TestKenri, roles: string) {
  const mint = await testMint();
  const running = await kenri.start(roles, {
    GATEWAY_JWKS_URL: mint.jwksUrl,
    MATCHMAKING_MODES: "casual:fifo:1h",
    MATCHER_INTERVAL: "250ms",
    MATCH_POLL: "250ms",
    MATCH_CONFIRM: "1s",
    // Log lines would go through a pipe to this process, which is busy measuring.
    LOG_REQUESTS: "off",
  });
  const url = `${kenri.urlOf("matchmaking")}/v1/matchmaking/queues/casual/tickets`;
  return {
    players: (name: string, count: number): Promise<ApiPlayer[]> =>
      Promise.all(
        Array.from({ length: count }, async (_, n) => ({ userId: `${name}-${n}`, token: await mint.token("matchmaking", `${name}-${n}`) })),
      ),
    async join({ userId, token }: ApiPlayer): Promise<Ticket> {
      const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
      const body = JSON.stringify({ party_size: 1, attributes: {}, idempotency_key: userId });
      const response = await fetch(url, { method: "POST", headers, body });
      if (response.status !== 200) throw new Error(`a join got ${response.status}: ${await response.text()}`);
      return (await response.json()) as Ticket;
    },
    async stop(): Promise<void> {
      await running.stop();
      await mint.close();
    },
  };
}
