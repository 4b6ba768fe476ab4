import type { Ticket } from "../matchmaking/tickets/ticket.ts";
import { type Servers, type TestKenri, testKenri } from "./kenri.ts";
import { type TestMint, testMint } from "./tokens.ts";

export interface MatchmakingAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

export interface JoinOptions {
  readonly mode?: string;
  readonly key?: string;
  readonly attributes?: Record<string, unknown>;
}

/** Matchmaking with a stand-in for the gateway. */
export interface TestMatchmaking {
  readonly kenri: TestKenri;
  readonly mint: TestMint;
  /** Sends a request as a user. A body that is not a string is sent as JSON. */
  ask(userId: string | undefined, method: string, path: string, body?: unknown, roles?: readonly string[]): Promise<MatchmakingAnswer>;
  /** Joins, whatever the answer. */
  tryJoin(userId: string, options?: JoinOptions): Promise<MatchmakingAnswer>;
  /** Joins; anything but 200 is an error. */
  join(userId: string, options?: JoinOptions): Promise<Ticket>;
  read(userId: string, ticketId: string): Promise<Ticket>;
  /** What operators see. */
  ops<T>(path: string): Promise<T>;
  close(): Promise<void>;
}

export async function testMatchmaking(environment: Record<string, string> = {}, servers?: Servers): Promise<TestMatchmaking> {
  const mint = await testMint();
  const kenri = await testKenri(environment, servers, mint);
  const get = async <T>(answer: Promise<MatchmakingAnswer>, what: string): Promise<T> => {
    const { status, text } = await answer;
    if (status !== 200) throw new Error(`${what}: ${status} ${text}`);
    return JSON.parse(text) as T;
  };
  const matchmaking: TestMatchmaking = {
    kenri,
    mint,
    async ask(userId, method, path, body, roles) {
      const authorization = userId === undefined ? "" : `Bearer ${await mint.token("matchmaking", userId, roles)}`;
      const response = await kenri.call("matchmaking", path, {
        method,
        headers: { authorization, ...(body === undefined ? {} : { "content-type": "application/json" }) },
        ...(body === undefined ? {} : { body: typeof body === "string" ? body : JSON.stringify(body) }),
      });
      return { status: response.status, headers: response.headers, text: await response.text() };
    },
    tryJoin: (userId, { mode = "casual", key = crypto.randomUUID(), attributes = {} } = {}) =>
      matchmaking.ask(userId, "POST", `/v1/matchmaking/queues/${mode}/tickets`, { party_size: 1, attributes, idempotency_key: key }),
    join: (userId, options) => get(matchmaking.tryJoin(userId, options), `join of ${userId}`),
    read: (userId, ticketId) => get(matchmaking.ask(userId, "GET", `/v1/matchmaking/tickets/${ticketId}`), `ticket ${ticketId}`),
    ops: path => get(matchmaking.ask("operator", "GET", `/ops/${path}`, undefined, ["USER", "OPERATOR"]), path),
    async close() {
      await kenri.close();
      await mint.close();
    },
  };
  return matchmaking;
}
