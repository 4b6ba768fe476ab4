import type { Drills } from "./drill.ts";
import type { Stage } from "./stage.ts";
import { inRedis } from "./stores.ts";
import { signedIn, visit } from "./users.ts";

/** A page of one's own account: the gateway calls account for it. */
async function ownAccount(stage: Stage): Promise<number> {
  const [browser] = await signedIn(stage);
  const { user_id } = (await (await browser!.fetch(`${stage.urls.gateway}/v1/me`)).json()) as { user_id: string };
  return visit(stage, `/v1/users/${user_id}`);
}

/** A session from before the failure is valid after it. */
async function sessionHolds(stage: Stage): Promise<void> {
  const status = await visit(stage, "/v1/me");
  if (status !== 200) throw new Error(`a session from before the failure is answered ${status}`);
}

export const gatewayDrills: Drills = {
  "idp-away": {
    what: "the identity provider hangs; nobody signs in, and sessions go on",
    prepare: async stage => void (await signedIn(stage)),
    cause: stage => stage.servers.idp.pause(),
    traffic: stage => visit(stage, "/v1/me"),
    moves: 'max(kenri_health_trouble{part="identity provider"})',
    alert: "KenriPartInTrouble",
    labels: { system: "gateway", part: "identity provider" },
    repair: stage => stage.servers.idp.resume(),
    check: sessionHolds,
  },
  "service-away": {
    what: "account is killed; the gateway refuses its calls",
    apart: ["account"],
    prepare: async stage => void (await signedIn(stage)),
    cause: stage => stage.kenri("account").halt(),
    traffic: ownAccount,
    moves: 'max(kenri_gateway_circuit_open{service="account"})',
    alert: "KenriServiceAway",
    labels: { service: "account" },
    repair: stage => stage.kenri("account").start(),
    check: sessionHolds,
  },
  "gateway-down": {
    what: "the gateway is killed; sessions are in Redis",
    apart: ["gateway"],
    prepare: async stage => void (await signedIn(stage)),
    cause: stage => stage.kenri("gateway").halt(),
    moves: 'count(up{system="gateway"} == 0)',
    alert: "KenriProcessDown",
    labels: { system: "gateway" },
    repair: stage => stage.kenri("gateway").start(),
    check: sessionHolds,
  },
  "sessions-away": {
    what: "the gateway's Redis hangs; signed-in people get 503",
    prepare: async stage => void (await signedIn(stage)),
    cause: stage => stage.servers.redis.pause(),
    traffic: stage => visit(stage, "/v1/me"),
    moves: 'sum(kenri_http_request_seconds_count{system="gateway",route="/v1/me",status="503"})',
    alert: "KenriErrorBudgetBurnsFast",
    labels: { slo: "gateway" },
    repair: stage => stage.servers.redis.resume(),
    check: sessionHolds,
  },
  "sessions-forged": {
    what: "somebody else writes a session into the gateway's Redis; it signs nobody in",
    async cause(stage) {
      const id = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("base64url");
      const key = new Bun.CryptoHasher("sha256").update(id).digest("base64url");
      const data = JSON.stringify({ userId: crypto.randomUUID() });
      await inRedis(stage, redis =>
        redis.send("HSET", [`kenri:signed-session:${key}`, "data", data, "ends_at", String(Date.now() + 600_000)]),
      );
      const { status } = await fetch(`${stage.urls.gateway}/v1/me`, { headers: { cookie: `kenri=${id}` } });
      if (status !== 401) throw new Error(`a forged session is answered ${status}`);
    },
    moves: 'sum(kenri_gateway_store_refused_total{fault!="expired"})',
    alert: "KenriSessionsForged",
    // The forger is locked out. The entry was refused, and the alert ends with its window.
    repair: stage => inRedis(stage, async redis => void (await redis.send("FLUSHALL", []))),
  },
};
