import type { Row } from "../dashboard.ts";
import { queriesOf } from "../queries.ts";

const { rate, max, quantile } = queriesOf("matchmaking");
const byMode = ["mode"];
export const matchmakingRows: readonly Row[] = [
  {
    title: "Queues",
    panels: [
      {
        title: "Requests to join, by mode and outcome",
        unit: "ops",
        queries: [rate("kenri_matchmaking_joins_total", { by: ["mode", "outcome"] })],
      },
      { title: "Tickets that wait, by mode", unit: "short", queries: [max("kenri_matchmaking_queue_depth", { by: byMode })] },
      { title: "Wait of the oldest ticket, by mode", unit: "s", queries: [max("kenri_matchmaking_oldest_wait_seconds", { by: byMode })] },
      { title: "Matches made, by mode", unit: "ops", queries: [rate("kenri_matchmaking_matches_total", { by: byMode })] },
      {
        title: "Wait of matched players, by mode",
        unit: "s",
        queries: [
          quantile(0.5, "kenri_matchmaking_time_to_match_seconds", { by: byMode, as: "50 %" }),
          quantile(0.95, "kenri_matchmaking_time_to_match_seconds", { by: byMode, as: "95 %" }),
        ],
      },
      {
        title: "Tickets that ended without a match, by mode",
        unit: "ops",
        queries: [
          rate("kenri_matchmaking_cancelled_total", { by: byMode, as: "cancelled" }),
          rate("kenri_matchmaking_expired_total", { by: byMode, as: "expired" }),
          rate("kenri_matchmaking_invalid_total", { by: byMode, as: "invalid" }),
        ],
      },
    ],
  },
  {
    title: "Announcement of matches",
    panels: [
      {
        title: "Attempts to publish, by outcome",
        unit: "ops",
        queries: [rate("kenri_match_publish_attempts_total", { by: ["mode", "outcome"] })],
      },
      {
        title: "Matches to publish and to announce, by mode",
        unit: "short",
        queries: [
          max("kenri_match_unpublished", { by: byMode, as: "to publish" }),
          max("kenri_match_unannounced", { by: byMode, as: "to announce" }),
        ],
      },
      {
        title: "Age of the oldest match to publish and to announce",
        unit: "s",
        queries: [
          max("kenri_match_relay_lag_seconds", { by: byMode, as: "to publish" }),
          max("kenri_match_oldest_unannounced_seconds", { by: byMode, as: "to announce" }),
        ],
      },
      {
        title: "Matches announced, void and sent again, by mode",
        unit: "ops",
        queries: [
          rate("kenri_match_announced_total", { by: byMode, as: "announced" }),
          rate("kenri_match_void_total", { by: byMode, as: "void" }),
          rate("kenri_match_missing_resent_total", { by: byMode, as: "sent again: notification lacked it" }),
        ],
      },
      {
        title: "Losses of the stream, refused answers",
        unit: "ops",
        queries: [
          rate("kenri_match_stream_losses_total", { as: "losses of the stream" }),
          rate("kenri_match_lost_resent_total", { as: "requeued: the stream lost it" }),
          rate("kenri_match_answers_refused_total", { by: ["reason"], as: "answer refused:" }),
        ],
      },
    ],
  },
];
