import type { Drills } from "./drill.ts";
import type { Stage } from "./stage.ts";
import { inRedis } from "./stores.ts";
import { join, signedIn } from "./users.ts";

/** Each player was told of one match. */
async function eachToldOnce(stage: Stage): Promise<void> {
  for (const browser of await signedIn(stage)) {
    const answer = await browser.fetch(`${stage.urls.gateway}/v1/me/notifications`);
    const { notifications } = (await answer.json()) as { notifications: { type: string }[] };
    const told = notifications.filter(({ type }) => type === "MatchFound").length;
    if (told !== 1) throw new Error(`a player was told of ${told} matches`);
  }
}

async function bothJoin(stage: Stage): Promise<void> {
  await Promise.all((await signedIn(stage)).map(player => join(stage, player)));
}

/** A ticket of which the request to join is damaged. */
const damage = (stage: Stage, ticketId: string) =>
  inRedis(stage, async redis => void (await redis.send("HSET", [`kenri:matchmaking:{casual}:ticket:${ticketId}`, "join_id", "no-uuid"])));

export const matchmakingDrills: Drills = {
  "redis-away": {
    what: "matchmaking's Redis hangs; nobody joins a queue",
    cause: stage => stage.servers.redis.pause(),
    moves: 'max(kenri_health_trouble{system="matchmaking",part="redis"})',
    alert: "KenriPartInTrouble",
    labels: { part: "redis", system: "matchmaking" },
    repair: stage => stage.servers.redis.resume(),
  },
  "match-relay": {
    what: "NATS hangs; a match waits in Redis",
    prepare: async stage => void (await signedIn(stage)),
    async cause(stage) {
      stage.servers.nats.pause();
      await bothJoin(stage);
    },
    moves: "max(kenri_match_relay_lag_seconds)",
    alert: "KenriMatchesNotPublished",
    labels: { mode: "casual" },
    repair: stage => stage.servers.nats.resume(),
    check: eachToldOnce,
  },
  "match-refused": {
    what: "notification hangs; a match is published and not announced",
    apart: ["notification"],
    prepare: async stage => void (await signedIn(stage)),
    async cause(stage) {
      stage.kenri("notification").pause();
      await bothJoin(stage);
    },
    moves: "max(kenri_match_oldest_unannounced_seconds)",
    alert: "KenriMatchesNotAnnounced",
    labels: { mode: "casual" },
    repair: stage => stage.kenri("notification").resume(),
    check: eachToldOnce,
  },
  "tickets-damaged": {
    what: "a ticket in Redis is damaged; its player joins again",
    prepare: async stage => void (await signedIn(stage)),
    async cause(stage) {
      const [alice, bob] = await signedIn(stage);
      await damage(stage, await join(stage, alice!));
      await join(stage, bob!);
    },
    moves: "sum(kenri_matchmaking_invalid_total)",
    alert: "KenriTicketsInvalid",
    labels: { mode: "casual" },
    // The ticket of the other player waits.
    repair: async stage => void (await join(stage, (await signedIn(stage))[0]!)),
    check: eachToldOnce,
  },
};
