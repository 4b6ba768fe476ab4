import type { KernelSettings } from "../config/settings.ts";
import { singleFlight } from "../life/single_flight.ts";
import { NoTurn, turns } from "../life/turns.ts";
import type { Caller } from "./auth.ts";
import { Problem } from "./problem.ts";
import { requestTurns } from "./request_turns.ts";

// A page of the console sends about ten requests at once.
const mostWaitingPerPerson = 50;
const mostWaiting = 500;
// The set of a bulk action is read whole, however large: one at a time for a person, two in a process.
const setsAtOnce = 2;

const code = "TOO_MANY_QUESTIONS";
const isRefusal = (error: unknown) => error instanceof Problem && error.code === code;
const tooMany = (what: string) =>
  new Problem(429, code, `too many ${what} are running; wait for their responses and try again`, {
    headers: { "retry-after": "1" },
  });

/** Limits the concurrent requests of operators, for a process and for each person, so that they do not delay other requests. */
export function operatorTurns({ requests, wait }: KernelSettings["operators"]) {
  const waiting = { wait, mostWaiting, mostWaitingPerOwner: mostWaitingPerPerson };
  const operatorRequests = requestTurns({ atOnce: requests, perOwner: Math.ceil(requests / 2), ...waiting }, () =>
    tooMany("requests of operators, yours or of all,"),
  );
  const sets = turns({ atOnce: setsAtOnce, perOwner: 1, ...waiting });
  const walks = singleFlight<unknown>();

  async function walk<T>({ clientId }: Caller, walkSet: () => Promise<T>): Promise<T> {
    const end = await sets.take(clientId).catch((error: unknown) => {
      throw error instanceof NoTurn ? tooMany("reads of the sets of bulk actions") : error;
    });
    try {
      return await walkSet();
    } finally {
      end();
    }
  }

  return {
    /** Waits for the turn of a request. */
    begin: (request: Request, { clientId }: Caller): Promise<void> => operatorRequests.begin(request, clientId),
    /** Ends the turn of a request, after its response. */
    end: operatorRequests.end,
    /** Reads the set of a bulk action when it is this person's turn. */
    walk,
    /** The same for a preview: concurrent previews of one set share one read. */
    async walkOnce<T>(caller: Caller, set: string, walkSet: () => Promise<T>): Promise<T> {
      const joined = walks.underWay(set);
      if (!joined) return (await walks.ask(set, () => walk(caller, walkSet))) as T;
      // Another person's read may have got no turn; this person may still get one.
      return joined.catch(error => {
        if (!isRefusal(error)) throw error;
        return walk(caller, walkSet);
      }) as Promise<T>;
    },
    /** After an action nobody shares a read that began before it. */
    forget: walks.forget,
  };
}

export type OperatorTurns = ReturnType<typeof operatorTurns>;
