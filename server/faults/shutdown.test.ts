import { expect } from "bun:test";
import { until } from "../../stack/wait.ts";
import { closeAtEnd, test } from "../testing/closing.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { endsInTime, momentOf } from "../testing/ending.ts";
import { allRoles, type TestKenri, testKenri } from "../testing/kenri.ts";
import { traffic } from "../testing/traffic.ts";

async function started(environment: Record<string, string> = {}) {
  const kenri = await testKenri({ OUTBOX_LEASE: "5s", NOTIFICATION_LEASE: "5s", ...environment });
  closeAtEnd(kenri.close);
  return kenri;
}

const held = async (kenri: TestKenri) => ({
  inFlight: (await kenri.entitlementSql`select from outbox_events where status = 'IN_FLIGHT'`).length,
  processing: (await kenri.notificationSql`select from notifications where status = 'PROCESSING'`).length,
});

/** A client that sends requests until it is stopped, with the outcome of each. */
async function ask(kenri: TestKenri, client: number, isSentHere: () => boolean): Promise<string[]> {
  const ends: string[] = [];
  for (let turn = 0; isSentHere(); turn++) {
    ends.push(
      await kenri.grant(`asker-${client}-${turn}`, "item").then(
        async response => {
          await response.text();
          return String(response.status);
        },
        error => String((error as { code?: unknown }).code),
      ),
    );
  }
  return ends;
}

test.concurrent("SIGTERM under load: readiness is 503, requests in flight finish, it exits with 0 in time, and no claim is left behind", async () => {
  const kenri = await started({ SHUTDOWN_NOTICE: "2s" }); // long enough to be observed on a busy machine
  const process = await kenri.start("entitlement notification");
  const url = kenri.urlOf("entitlement");
  let ready = true;
  const clients = Promise.all(Array.from({ length: 16 }, (_, client) => ask(kenri, client, () => ready)));
  await until(
    "the pipeline runs",
    60_000,
    async () => (await kenri.notificationSql`select from notifications where status = 'SENT'`).length > 100,
  );
  const ending = endsInTime(process);
  // Like a load balancer: clients stop when readiness is 503; until then every request is served.
  await until("readiness is 503", 2000, async () => (await fetch(`${url}/readyz`)).status === 503);
  ready = false;
  expect(await ending).toBe(0);
  const ends = (await clients).flat();
  expect(ends.filter(end => end !== "200")).toEqual([]);
  expect(await held(kenri)).toEqual({ inFlight: 0, processing: 0 });
  // Every change answered 200 exists, and a new process delivers the rest.
  const answered = ends.length;
  expect(await kenri.entitlementSql`select from outbox_events`).toHaveLength(answered);
  await kenri.start(allRoles);
  await drained(kenri);
  expect(await kenri.notificationSql`select from notifications where status = 'SENT'`).toHaveLength(answered);
});

test.concurrent("roles as processes of their own exit with 0 on SIGTERM under load and leave no claim behind", async () => {
  const kenri = await started({ HEALTH_PORT: "0" });
  await kenri.start("entitlement:api", { OUTBOX_FIRST_ATTEMPT: "relay" }); // it keeps running, and would hold claims of its own
  const roles = await Promise.all(
    ["entitlement:relay", "notification:consumer", "notification:sender", "notification:janitor"].map(role => kenri.start(role)),
  );
  const load = traffic(kenri, { pause: 10 });
  await until(
    "the pipeline runs",
    60_000,
    async () => (await kenri.notificationSql`select from notifications where status = 'SENT'`).length > 100,
  );
  expect(await Promise.all(roles.map(endsInTime))).toEqual([0, 0, 0, 0]);
  expect(await held(kenri)).toEqual({ inFlight: 0, processing: 0 });
  const ledger = await load.stop();
  await kenri.start("entitlement:relay notification:consumer notification:sender");
  await drained(kenri);
  expect(await findInconsistencies(kenri, ledger)).toEqual([]);
});

test.concurrent("a second signal ends it at once", async () => {
  const kenri = await started({ SHUTDOWN_NOTICE: "8s" });
  const process = await kenri.start("entitlement notification");
  process.kill("SIGTERM");
  await until("it is stopping", 15_000, async () => (await kenri.call("entitlement", "/readyz")).status === 503);
  const since = performance.now();
  process.kill("SIGTERM");
  expect(await process.exited).toBe(1);
  expect(performance.now() - since).toBeLessThan(2000);
});

test.concurrent("SIGTERM at any moment of the start: exits in time", async () => {
  const kenri = await started();
  for (const moment of [0, 200, 400, 600, 800]) {
    const process = kenri.launch("entitlement:relay notification:consumer notification:sender");
    await momentOf(moment);
    expect([0, 143]).toContain(await endsInTime(process));
  }
});
