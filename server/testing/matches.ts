import { until } from "../../stack/wait.ts";
import type { Queue } from "../matchmaking/operator/queue_routes.ts";
import type { Ticket } from "../matchmaking/tickets/ticket.ts";
import type { TestMatchmaking } from "./matchmaking.ts";

/** What a player was told of a match. */
export interface Told {
  readonly user_id: string;
  readonly status: string;
  readonly match_id: string;
  readonly peer: string;
  readonly session: string;
}

export const toldOf = ({ kenri }: Pick<TestMatchmaking, "kenri">): Promise<Told[]> =>
  kenri.notificationSql<
    Told[]
  >`select user_id, status, payload ->> 'match_id' as match_id, payload -> 'peer_user_ids' ->> 0 as peer, payload ->> 'session' as session
    from notifications where type = 'MatchFound'`;

export const queueOf = async (matchmaking: TestMatchmaking, mode = "casual"): Promise<Queue> =>
  (await matchmaking.ops<{ queues: Queue[] }>("queues")).queues.find(queue => queue.mode === mode)!;

/** The keys with which players join, so that a repetition is the same request. */
const keyOf = (user: string) => `join-${user}`;

/** Joins for each player, and repeats a request without an answer until it has one. Returns the tickets by player. */
export async function joinAll(
  matchmaking: TestMatchmaking,
  users: readonly string[],
  { clients = 8, mode = "casual", within = 60_000 } = {},
): Promise<Map<string, Ticket>> {
  const tickets = new Map<string, Ticket>();
  const waiting = [...users];
  const deadline = performance.now() + within;
  async function client(): Promise<void> {
    for (let user = waiting.shift(); user !== undefined; user = waiting.shift()) tickets.set(user, await joined(user));
  }
  async function joined(user: string): Promise<Ticket> {
    while (performance.now() < deadline) {
      const answer = await matchmaking.tryJoin(user, { mode, key: keyOf(user) }).catch(() => undefined);
      if (answer?.status === 200) return JSON.parse(answer.text) as Ticket;
      if (answer && answer.status !== 503) throw new Error(`join of ${user}: ${answer.status} ${answer.text}`);
      await Bun.sleep(20);
    }
    throw new Error(`${user} could not join within ${within} ms`);
  }
  await Promise.all(Array.from({ length: clients }, client));
  return tickets;
}

/** Waits until nobody waits for an opponent but the odd one, and every match was announced and is delivered. */
export async function allTold(matchmaking: TestMatchmaking, within = 60_000, mode = "casual"): Promise<void> {
  await until(
    "every match is told",
    within,
    async () => {
      const queue = await queueOf(matchmaking, mode).catch(() => undefined);
      return queue !== undefined && queue.waiting < 2 && queue.unpublished === 0 && queue.unconfirmed === 0;
    },
    100,
  );
  await until("every notice is sent", within, async () => (await toldOf(matchmaking)).every(({ status }) => status === "SENT"), 100);
}

/** What is wrong with the matches: every one is told to both players once, nobody is in two, and no ticket is missing. */
export async function matchFaults(matchmaking: TestMatchmaking, mode = "casual"): Promise<string[]> {
  const told = await toldOf(matchmaking);
  const { totals, waiting } = await queueOf(matchmaking, mode);
  const faults: string[] = [];
  for (const [match, both] of Map.groupBy(told, one => one.match_id)) {
    const [a, b] = both;
    const isWhole = both.length === 2 && a!.peer === b!.user_id && b!.peer === a!.user_id && a!.session === b!.session;
    if (!isWhole) faults.push(`match ${match}: ${JSON.stringify(both)}`);
  }
  for (const [user, matches] of Map.groupBy(told, one => one.user_id))
    if (matches.length > 1) faults.push(`${user} was told of ${matches.length} matches: ${matches.map(one => one.match_id).join(", ")}`);
  const { joined, matched, cancelled, expired, invalid } = totals;
  if (joined !== matched + cancelled + expired + invalid + waiting)
    faults.push(`tickets are not conserved: ${JSON.stringify({ ...totals, waiting })}`);
  if (invalid > 0) faults.push(`${invalid} tickets are invalid`);
  if (matched !== told.length) faults.push(`${matched} tickets are matched, and ${told.length} players were told`);
  return faults;
}
