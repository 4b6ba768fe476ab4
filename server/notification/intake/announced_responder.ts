import type { AnnouncedAnswer, AnnouncedQuestion } from "../../contracts/match_events.ts";
import type { Service } from "../../kernel/life/service.ts";
import type { NotificationSql } from "../sql.gen.ts";
import { isIds, type ResponderOptions, responder } from "./responder.ts";

export interface AnnouncedOptions extends ResponderOptions {
  readonly sql: NotificationSql;
  /** How long a request to join that was announced counts, in milliseconds. */
  readonly keep: number;
}

/** Answers matchmaking's relay in which matches the asked requests to join were announced, and which matches could not be read. */
export const announcedResponder = ({ sql, keep, ...options }: AnnouncedOptions): Service =>
  responder(options, async (question): Promise<AnnouncedAnswer> => {
    if (!isQuestion(question)) throw new Error("the question does not have a list of match ids and a list of join ids");
    const [joins, unreadable] = await Promise.all([
      sql.announced({ join_id: question.join_ids, keep_seconds: keep / 1000 }),
      sql.raw_dead_letters.unreadable({ event_id: question.match_ids }),
    ]);
    return {
      joins: joins.map(row => ({ ...row, peer_user_ids: row.peer_user_ids as string[] })),
      unreadable: unreadable.map(row => row.event_id),
    };
  });

function isQuestion(question: unknown): question is AnnouncedQuestion {
  if (typeof question !== "object" || question === null || Array.isArray(question)) return false;
  const { match_ids, join_ids, ...more } = question as Record<string, unknown>;
  return isIds(match_ids) && isIds(join_ids) && Object.keys(more).length === 0;
}
