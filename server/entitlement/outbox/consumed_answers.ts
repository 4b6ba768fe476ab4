import { type ConfirmationsOptions, confirmations } from "../../kernel/nats/confirmations.ts";

export type ConsumedAnswersOptions = Omit<ConfirmationsOptions<readonly string[], ReadonlySet<string>>, "name" | "read" | "about">;

/** Which of the asked events notification has consumed, or why that is not known. */
export type Consumed = { readonly held: ReadonlySet<string> } | { readonly held: undefined; readonly why: string };

/** Asks notification which events it has consumed. */
export function consumedAnswers(options: ConsumedAnswersOptions) {
  const { ask, nothingToAsk } = confirmations({
    ...options,
    name: "outbox",
    read: heldOf,
    about: {
      answerer: "notification",
      question: who => `which events ${who} holds`,
      answers: "consumed events",
      kept: "published events",
    },
  });
  return {
    async ask(eventIds: readonly string[]): Promise<Consumed> {
      const asked = await ask(eventIds);
      return asked.answer ? { held: asked.answer } : { held: undefined, why: asked.why };
    },
    nothingToAsk,
  };
}

/** The list of an answer. It may hold only events that were asked for. */
function heldOf(answer: string, asked: readonly string[]): ReadonlySet<string> | undefined {
  try {
    const held: unknown = JSON.parse(answer);
    const known = new Set<unknown>(asked);
    return Array.isArray(held) && held.every(id => known.has(id)) ? new Set(held as string[]) : undefined;
  } catch {
    return undefined;
  }
}
