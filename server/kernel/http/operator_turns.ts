import type { KernelSettings } from "../config/settings.ts";
import { singleFlight } from "../life/single_flight.ts";
import { NoTurn, turns } from "../life/turns.ts";
import type { Caller } from "./auth.ts";
import { Problem } from "./problem.ts";
import { requestTurns } from "./request_turns.ts";

// A page of the console asks about ten things at once.
const mostWaitingPerPerson = 50;
const mostWaiting = 500;
// A set of a bulk action is walked whole, however large: one at a time for a person, two in a process.
const setsAtOnce = 2;

const code = "TOO_MANY_QUESTIONS";
const isRefusal = (error: unknown) => error instanceof Problem && error.code === code;
const tooMany = (what: string) =>
  new Problem(429, code, `too many ${what} are under way; wait for their answers and try again`, {
    headers: { "retry-after": "1" },
  });

/** What operators ask and do has a limit of its own, for a process and for each person, so that it cannot hold up anything else. */
export function operatorTurns({ requests, wait }: KernelSettings["operators"]) {
  const waiting = { wait, mostWaiting, mostWaitingPerOwner: mostWaitingPerPerson };
  const questions = requestTurns({ atOnce: requests, perOwner: Math.ceil(requests / 2), ...waiting }, () =>
    tooMany("questions of operators, yours or all together,"),
  );
  const sets = turns({ atOnce: setsAtOnce, perOwner: 1, ...waiting });
  const walks = singleFlight<unknown>();

  async function walk<T>({ clientId }: Caller, walkSet: () => Promise<T>): Promise<T> {
    const end = await sets.take(clientId).catch((error: unknown) => {
      throw error instanceof NoTurn ? tooMany("walks over the sets of bulk actions") : error;
    });
    try {
      return await walkSet();
    } finally {
      end();
    }
  }

  return {
    /** Waits for the turn of a request. */
    begin: (request: Request, { clientId }: Caller): Promise<void> => questions.begin(request, clientId),
    /** The turn of a request ends with its answer, whatever that is. */
    end: questions.end,
    /** Walks the set of a bulk action in the turn of a person. */
    walk,
    /** The same for what changes nothing: those who ask for one set at once share one walk. */
    async walkOnce<T>(caller: Caller, set: string, walkSet: () => Promise<T>): Promise<T> {
      const joined = walks.underWay(set);
      if (!joined) return (await walks.ask(set, () => walk(caller, walkSet))) as T;
      // The walk of somebody who got no turn says nothing about this person's turn.
      return joined.catch(error => {
        if (!isRefusal(error)) throw error;
        return walk(caller, walkSet);
      }) as Promise<T>;
    },
    /** After an action nobody joins a walk that began before it. */
    forget: walks.forget,
  };
}

export type OperatorTurns = ReturnType<typeof operatorTurns>;
