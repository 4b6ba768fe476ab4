import { NoTurn, type TurnsOptions, turns } from "../life/turns.ts";
import type { Problem } from "./problem.ts";

/** Turns of requests: one begins before the request is worked on and ends with its answer, whatever that is. */
export function requestTurns(options: TurnsOptions, refusal: () => Problem) {
  const all = turns(options);
  const ends = new WeakMap<Request, () => void>();
  return {
    /** Waits for the turn of a request; throws the refusal if it gets none. */
    async begin(request: Request, owner: string): Promise<void> {
      if (ends.has(request)) return;
      const end = await all.take(owner).catch((error: unknown) => {
        throw error instanceof NoTurn ? refusal() : error;
      });
      ends.set(request, end);
    },
    end: (request: Request) => ends.get(request)?.(),
  };
}
