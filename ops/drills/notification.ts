import { jetstream } from "@nats-io/jetstream";
import { entitlementEvents } from "../../server/contracts/entitlement_events.ts";
import { testBrowser } from "../../server/testing/browser.ts";
import { defaultNames } from "../../stack/nats_permissions.ts";
import type { Drill, Drills } from "./drill.ts";
import type { Stage } from "./stage.ts";
import { inNats } from "./stores.ts";
import { grant } from "./users.ts";

const setFaults = (stage: Stage, faults: { user_prefix: string; crash?: boolean }) =>
  stage.call("notification", "PUT", "/debug/faults", faults);

/** Its workers end by an uncaught error, five times. Each start takes a moment, and a crash before it has no effect. */
async function crashOften(stage: Stage, role: string): Promise<void> {
  const crashes = async () => (await stage.query(`sum(kenri_worker_restarts_total{role="${role}"})`))[0]?.value ?? 0;
  while ((await crashes()) < 5) {
    await setFaults(stage, { user_prefix: "", crash: true });
    await Bun.sleep(1000);
  }
}

const crashing = (role: string): Drill => ({
  what: `the worker ${role} crashes five times`,
  cause: stage => crashOften(stage, role),
  traffic: stage => grant(stage),
  moves: `sum(kenri_worker_restarts_total{role="${role}"})`,
  alert: "KenriWorkerRestarts",
  labels: { system: "notification", role },
  repair() {}, // it does not crash any more
});

/** As an admin in the console, after the person has looked at the messages. */
async function discardUnreadable(stage: Stage): Promise<void> {
  const admin = testBrowser();
  await admin.signIn(stage.urls.gateway, "admin");
  const path = "/admin/api/notification/raw-dead-letters";
  const list = (await (await admin.call(stage.urls.gateway, path)).json()) as { raw_dead_letters: { id: string }[] };
  for (const { id } of list.raw_dead_letters) {
    const answer = await admin.send(stage.urls.gateway, "POST", `${path}/${id}/discard`, { reason: "drill: forged" });
    if (!answer.ok) throw new Error(`a message cannot be discarded: ${answer.status} ${await answer.text()}`);
  }
}

export const notificationDrills: Drills = {
  "consumer-killed": crashing("notification:consumer"),
  "sender-killed": crashing("notification:sender"),
  "consumer-away": {
    what: "the process of notification hangs; events are published and nobody consumes them",
    apart: ["notification"],
    cause: stage => stage.kenri("notification").pause(),
    traffic: stage => grant(stage),
    moves: 'max(kenri_outbox_depth{state="unconfirmed"}) > 5',
    alert: "KenriOutboxUnconfirmed",
    repair: stage => stage.kenri("notification").resume(),
  },
  "message-unreadable": {
    what: "somebody else publishes an unsigned message; it is stored with its reason, and an admin discards it",
    cause: stage =>
      inNats(stage, async (_, nats) => void (await jetstream(nats).publish(defaultNames(entitlementEvents.subject), "not an event"))),
    traffic: stage => grant(stage),
    moves: 'max(kenri_notifications_depth{state="raw_dead"})',
    alert: "KenriMessagesUnreadable",
    repair: discardUnreadable,
  },
  "channel-fails": {
    what: "the channel refuses every send; notifications wait for their retries",
    settings: { NOTIFICATION_MAX_ATTEMPTS: "100" },
    cause: async stage => void (await setFaults(stage, { user_prefix: "drill" })),
    traffic: stage => grant(stage),
    moves: "max(kenri_notifications_oldest_pending_seconds) > 10",
    alert: "KenriNotificationsOld",
    repair: async stage => void (await setFaults(stage, { user_prefix: "" })),
  },
  "notification-dead": {
    what: "the channel refuses a user until its attempts are used up; the row is requeued after the repair",
    settings: { NOTIFICATION_MAX_ATTEMPTS: "2" },
    async cause(stage) {
      await setFaults(stage, { user_prefix: "unlucky" });
      await grant(stage, "unlucky");
    },
    moves: 'max(kenri_notifications_depth{state="dead"})',
    alert: "KenriNotificationsFailed",
    async repair(stage) {
      await setFaults(stage, { user_prefix: "" });
      const { notifications } = (await stage.call("notification", "GET", "/ops/notifications?status=FAILED")) as {
        notifications: { notification_id: string }[];
      };
      for (const { notification_id } of notifications)
        await stage.call("notification", "POST", `/ops/notifications/${notification_id}/requeue`, {
          reason: "drill: the channel is repaired",
        });
    },
  },
};
