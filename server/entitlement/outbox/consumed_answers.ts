import { type ConfirmationsOptions, confirmations } from "../../kernel/nats/confirmations.ts";

export type ConsumedAnswersOptions = Omit<ConfirmationsOptions<readonly string[], Held>, "name" | "read" | "form" | "about">;

interface Held {
  readonly held: ReadonlySet<string>;
  /** How many seconds notification keeps the ids of consumed events; undefined if its version does not say so. */
  readonly remembers?: number;
}

/** Which of the asked events notification has consumed, or why that is not known. */
export type Consumed = Held | { readonly held: undefined; readonly why: string };

/** Asks notification which events it has consumed. */
export function consumedAnswers(options: ConsumedAnswersOptions) {
  const { ask, nothingToAsk } = confirmations({
    ...options,
    name: "outbox",
    read: heldOf,
    form: 2,
    about: {
      answerer: "notification",
      question: who => `which events ${who} holds`,
      answers: "consumed events",
      kept: "published events",
    },
  });
  return {
    async ask(eventIds: readonly string[], inPassing = false): Promise<Consumed> {
      const asked = await ask(eventIds, inPassing);
      return asked.answer ? asked.answer : { held: undefined, why: asked.why };
    },
    nothingToAsk,
  };
}

export type ConsumedAnswers = ReturnType<typeof consumedAnswers>;

/** The content of an answer: a list, or in the second form an object with it. It may hold only events that were asked for. */
function heldOf(answer: string, asked: readonly string[]): Held | undefined {
  try {
    const parsed: unknown = JSON.parse(answer);
    const known = new Set<unknown>(asked);
    const { held, remembers_seconds } = (Array.isArray(parsed) ? { held: parsed } : parsed) as {
      held: unknown;
      remembers_seconds?: unknown;
    };
    if (!Array.isArray(held) || !held.every(id => known.has(id))) return undefined;
    const all = new Set(held as string[]);
    if (remembers_seconds === undefined) return { held: all };
    return typeof remembers_seconds === "number" && remembers_seconds >= 0 ? { held: all, remembers: remembers_seconds } : undefined;
  } catch {
    return undefined;
  }
}
