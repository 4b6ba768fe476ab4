import { matchEvents } from "../contracts/match_events.ts";
import { duration, integer, type Settings, textLike } from "../kernel/config/config.ts";
import { roleNatsUrls } from "../kernel/config/nats_access.ts";
import { healthPortSetting, portSetting } from "../kernel/config/system_settings.ts";
import { redisSettings } from "../kernel/redis/redis_settings.ts";
import { modesSetting } from "./modes.ts";
import { highestRating } from "./tickets/rating.ts";

export const matchmakingSettings = {
  port: portSetting("matchmaking", 8084),
  healthPort: healthPortSetting("matchmaking"),
  natsUrls: roleNatsUrls("matchmaking:relay"),
  ...redisSettings,
  ...matchEvents,
  prefix: textLike(
    "MATCHMAKING_PREFIX",
    "how all keys in Redis begin",
    "kenri:matchmaking",
    "^[\\w.:-]{1,100}$",
    "up to 100 letters, digits, '.', ':', '_' and '-'",
  ),
  modes: modesSetting,
  matcher: {
    interval: duration(
      "MATCHER_INTERVAL",
      "how often the matcher looks at the queues; a join wakes a matcher of the same process",
      "250ms",
      {
        minimum: "10ms",
        maximum: "1s",
      },
    ),
    // Redis does nothing else meanwhile. Measured for 40: 3 ms by fifo, 4 ms by rating.
    batch: integer("MATCHER_BATCH", "the most pairs that one script makes", 40, { minimum: 1, maximum: 500 }),
    window: integer("RATING_WINDOW", "strategy rating: the largest difference of ratings for a player who has just joined", 100, {
      minimum: 0,
      maximum: highestRating,
    }),
    opens: duration("RATING_WINDOW_OPENS", "strategy rating: after this wait a player is paired with any rating", "20s", {
      minimum: "1ms",
      maximum: "1h",
    }),
  },
  relay: {
    poll: duration("MATCH_POLL", "how often the relay reads new matches; a matcher of the same process wakes it", "250ms", {
      minimum: "10ms",
      maximum: "1m",
    }),
    batch: integer("MATCH_BATCH", "the most matches that the relay publishes at once", 200, { minimum: 1, maximum: 1000 }),
    lease: duration("MATCH_LEASE", "after this another relay publishes what a relay has read and not settled", "5s", {
      minimum: "200ms",
      maximum: "10m",
    }),
    publishWithin: duration("MATCH_PUBLISH_WITHIN", "the deadline of a publish", "3s", { minimum: "50ms", maximum: "1m" }),
    confirm: duration("MATCH_CONFIRM", "how often the relay asks notification which matches it has announced", "1s", {
      minimum: "50ms",
      maximum: "1h",
    }),
    overdue: duration(
      "MATCH_OVERDUE",
      "a published match that notification has not consumed after this, while its consumer is idle, is published again",
      "10s",
      { minimum: "100ms", maximum: "1d" },
    ),
  },
} as const;

export type MatchmakingSettings = Settings<typeof matchmakingSettings>;
