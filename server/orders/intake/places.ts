import { unavailable } from "../../kernel/http/problem.ts";
import { NoTurn, turns } from "../../kernel/life/turns.ts";

export interface PlacesOptions {
  /** How many requests run statements at once. The others wait at most `wait` milliseconds, and their clients take turns. */
  readonly atOnce: number;
  readonly wait: number;
}

const mostWaiting = { mostWaiting: 1000, mostWaitingPerOwner: 500 };

/**
 * The places of clients at the connections for new orders and cancellations: a flood of one client's requests does not displace those of others. The
 * waits need no place, because they run one statement at a time for all clients.
 */
export function intakePlaces({ atOnce, wait }: PlacesOptions) {
  const places = turns({ atOnce, perOwner: atOnce, wait, ...mostWaiting });
  return async function inPlace<T>(clientId: string, work: () => Promise<T>): Promise<T> {
    const end = await places.take(clientId).catch((error: unknown) => {
      throw error instanceof NoTurn ? unavailable("too many orders and cancellations are waiting; nothing was changed, try again") : error;
    });
    try {
      return await work();
    } finally {
      end();
    }
  };
}

export type InPlace = ReturnType<typeof intakePlaces>;
