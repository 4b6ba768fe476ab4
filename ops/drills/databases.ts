import postgres from "postgres";
import { until } from "../../stack/wait.ts";
import type { Drills } from "./drill.ts";
import type { Stage } from "./stage.ts";
import { inPostgres } from "./stores.ts";
import { grant } from "./users.ts";

const refused = 'sum(kenri_http_request_seconds_count{route="/v1/entitlements/grants",status="503"})';

/** ALTER SYSTEM is allowed in a read-only session, too. */
const readOnly = (stage: Stage, value: "on" | "off") =>
  inPostgres(stage, "postgres", async sql => {
    await sql.unsafe(`alter system set default_transaction_read_only = ${value}`);
    await sql`select pg_reload_conf()`;
  });

const blocker = "nightly report";

/** A program that locks the outbox for a second and a half, again and again, until its session is ended. */
function lockAgainAndAgain(stage: Stage): void {
  const sql = postgres(stage.servers.postgres.url("entitlement"), {
    max: 1,
    onnotice: () => {},
    connection: { application_name: blocker },
  });
  const lock = async () => {
    for (;;) {
      await sql.begin(async locked => {
        await locked`lock table outbox_events in access exclusive mode`;
        await locked`select pg_sleep(1.5)`;
      });
      await Bun.sleep(200);
    }
  };
  void lock().catch(() => sql.end({ timeout: 1 }));
}

/** As the runbook says: ends the sessions for which others wait. */
const endBlockers = (stage: Stage) =>
  inPostgres(stage, "entitlement", sql =>
    until("a session blocks others", 60_000, async () => {
      const ended = await sql`
        select pg_terminate_backend(pid) from pg_stat_activity where application_name = ${blocker} and pid in (
          select unnest(pg_blocking_pids(pid)) from pg_stat_activity where wait_event_type = 'Lock')`;
      return ended.length > 0;
    }),
  );

export const databaseDrills: Drills = {
  "postgres-away": {
    what: "PostgreSQL is killed; requests are refused with 503",
    cause: stage => stage.servers.postgres.halt(),
    traffic: stage => grant(stage),
    moves: 'count(kenri_ready{role="entitlement:api"} == 0)',
    alert: "KenriNotReady",
    labels: { system: "entitlement", role: "entitlement:api" },
    repair: stage => stage.servers.postgres.start(),
  },
  "postgres-hangs": {
    what: "PostgreSQL hangs; requests are refused with 503",
    cause: stage => stage.servers.postgres.pause(),
    traffic: stage => grant(stage),
    moves: refused,
    alert: "KenriErrorBudgetBurnsFast",
    labels: { slo: "grants" },
    repair: stage => stage.servers.postgres.resume(),
  },
  "postgres-slow": {
    what: "another program locks the outbox again and again; grants are slow",
    cause: lockAgainAndAgain,
    traffic: stage => grant(stage),
    moves:
      'sum(kenri_http_request_seconds_count{route="/v1/entitlements/grants"}) - sum(kenri_http_request_seconds_bucket{route="/v1/entitlements/grants",le="0.25"}) > 5',
    alert: "KenriErrorBudgetBurnsFast",
    labels: { slo: "grants-latency" },
    repair: endBlockers,
  },
  "postgres-read-only": {
    what: "PostgreSQL refuses writes; grants are refused with 503",
    cause: stage => readOnly(stage, "on"),
    traffic: stage => grant(stage),
    moves: refused,
    alert: "KenriErrorBudgetBurnsFast",
    labels: { slo: "grants" },
    repair: stage => readOnly(stage, "off"),
  },
};
