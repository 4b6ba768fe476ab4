import { copyDatabase } from "../../server/testing/databases.ts";
import { until } from "../../stack/wait.ts";
import type { Drills } from "./drill.ts";
import type { Stage } from "./stage.ts";
import { grant } from "./users.ts";
import { findMissing } from "./whole.ts";

const grantsAfterBackup = 20;
const backedUpAt = new WeakMap<Stage, string>();

/** A backup, more grants, and the backup in the place of the database. */
async function restoreNotification(stage: Stage): Promise<void> {
  const notification = stage.kenri("notification");
  const whole = () => until("all is delivered", 60_000, async () => (await findMissing(stage, {})).length === 0, 500);
  await whole();
  await notification.halt();
  const restore = await copyDatabase({ name: "notification", adminUrl: stage.servers.postgres.url("notification") });
  await notification.start();
  backedUpAt.set(stage, new Date().toISOString());
  for (let count = 0; count < grantsAfterBackup; count++) await grant(stage);
  await whole();
  await notification.halt();
  await restore();
  await notification.start();
}

/** As in the runbook: preview, then resend what the preview has shown. */
async function resend(stage: Stage): Promise<void> {
  const selection = { since: backedUpAt.get(stage) };
  type Preview = { eligible: number; set_hash: string; is_complete: boolean };
  let preview: Preview | undefined;
  await until("the check has seen all", 60_000, async () => {
    preview = (await stage.call("entitlement", "POST", "/ops/outbox/resend/preview", selection)) as Preview;
    return preview.is_complete;
  });
  const { eligible: expected, set_hash } = preview!;
  await stage.call("entitlement", "POST", "/ops/outbox/resend", { ...selection, set_hash, expected, reason: "drill: restored" });
}

const setPause = (stage: Stage, action: "pause" | "resume") =>
  stage.call("entitlement", "POST", `/ops/roles/relay/${action}`, { reason: "drill: maintenance" });

/** What operators cause themselves: a restored backup, a forgotten pause. */
export const operatorDrills: Drills = {
  "notification-restored": {
    what: "notification's database is restored to an earlier state; its events are published again",
    apart: ["notification"],
    cause: restoreNotification,
    moves: "max(kenri_outbox_confirmed_missing)",
    alert: "KenriNotificationLacksEvents",
    repair: resend,
  },
  paused: {
    what: "the relay is paused and forgotten; grants go on and events wait",
    cause: async stage => void (await setPause(stage, "pause")),
    traffic: stage => grant(stage),
    moves: 'max(kenri_paused{role="entitlement:relay"})',
    alert: "KenriPaused",
    labels: { system: "entitlement", role: "entitlement:relay" },
    repair: async stage => void (await setPause(stage, "resume")),
  },
};
