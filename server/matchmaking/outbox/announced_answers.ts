import type { AnnouncedAnswer, AnnouncedQuestion } from "../../contracts/match_events.ts";
import { type ConfirmationsOptions, confirmations } from "../../kernel/nats/confirmations.ts";

export type AnnouncedAnswersOptions = Omit<ConfirmationsOptions<AnnouncedQuestion, AnnouncedAnswer>, "name" | "read" | "about">;

/** Asks notification which matches it has announced. */
export const announcedAnswers = (options: AnnouncedAnswersOptions) =>
  confirmations({
    ...options,
    name: "match",
    read: answerOf,
    about: {
      answerer: "notification",
      question: who => `which matches ${who} has announced`,
      answers: "announced matches",
      kept: "published matches",
    },
  });

/** An answer. It may have only what was asked for. */
function answerOf(text: string, { match_ids, join_ids }: AnnouncedQuestion): AnnouncedAnswer | undefined {
  try {
    const { joins, unreadable } = JSON.parse(text) as AnnouncedAnswer;
    const [matches, asked] = [new Set(match_ids), new Set(join_ids)];
    const isGood =
      joins.every(
        join =>
          asked.has(join.join_id) &&
          typeof join.match_id === "string" &&
          Array.isArray(join.peer_user_ids) &&
          !Number.isNaN(Date.parse(join.announced_at)) &&
          typeof join.counts === "boolean",
      ) && unreadable.every(id => matches.has(id));
    return isGood ? { joins, unreadable } : undefined;
  } catch {
    return undefined;
  }
}
