import { afterEach, expect, test } from "bun:test";
import { until } from "../../../stack/wait.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { faults } from "./fault.ts";
import { createHealth, type Pause } from "./health.ts";
import { rolePauses } from "./pauses.ts";
import type { Service } from "./service.ts";

const running: Service[] = [];
afterEach(() => Promise.all(running.splice(0).map(one => one.stop())));

const pauseOf = (role: string): Pause => ({ role, paused_at: "2026-01-01T12:04:00Z", paused_by: "user:o", reason: "maintenance" });

/** A process that follows the pauses of a store in memory. `read` may be replaced. */
function following(store: { pauses: readonly Pause[] }, roles: readonly string[], read = async () => store.pauses) {
  const [metrics, health] = [createMetrics(), createHealth()];
  const pauses = rolePauses({ roles, read: () => read(), context: { log: silentLog, metrics, health, faults: faults() } });
  let changes = 0;
  pauses.onChange(() => changes++);
  running.push(pauses);
  const gauge = async () => (await metrics.registry.getSingleMetric("kenri_paused")!.get()).values.map(({ value }) => value);
  return { pauses, health, changes: () => changes, gauge };
}

const unique = () => `room${crypto.randomUUID().slice(0, 8)}`;

test("nothing may start before the store has answered; then only what is paused may not, and the callback starts the rest", async () => {
  const room = unique();
  const store = { pauses: [pauseOf(`${room}:a`), pauseOf("other:a")] };
  const first = Promise.withResolvers<void>();
  const one = following(store, [`${room}:a`, `${room}:b`], () => first.promise.then(() => store.pauses));
  await one.pauses.start();
  expect([one.pauses.isPaused(`${room}:a`), one.pauses.isPaused(`${room}:b`), one.changes(), one.health.pauses]).toEqual([
    true,
    true,
    0,
    [],
  ]);
  first.resolve();
  await until("it has read", 2000, () => one.changes() === 1);
  expect([one.pauses.isPaused(`${room}:a`), one.pauses.isPaused(`${room}:b`)]).toEqual([true, false]);
  expect([await one.gauge(), one.health.pauses, one.health.troubles()]).toEqual([[1, 0], [pauseOf(`${room}:a`)], {}]);
});

test("a change is known at once in all threads of the process, and by polling in others", async () => {
  const room = unique();
  const store: { pauses: readonly Pause[] } = { pauses: [] };
  const [api, worker] = [following(store, [`${room}:a`]), following(store, [`${room}:a`])];
  await Promise.all([api.pauses.start(), worker.pauses.start()]);
  await until("both have read", 2000, () => api.changes() + worker.changes() === 2);
  store.pauses = [pauseOf(`${room}:a`)];
  await api.pauses.changed();
  expect(api.pauses.isPaused(`${room}:a`)).toBe(true);
  await until("the worker follows", 500, () => worker.pauses.isPaused(`${room}:a`));
  store.pauses = [];
  await until("both follow without a message", 6000, () => api.changes() + worker.changes() === 6);
  expect([worker.pauses.isPaused(`${room}:a`), await worker.gauge(), worker.health.pauses]).toEqual([false, [0], []]);
});

test("while the store does not answer the last answer counts, and the next one does", async () => {
  const room = unique();
  const store = { pauses: [pauseOf(`${room}:a`)] };
  let isAway = false;
  let asked = 0;
  const one = following(store, [`${room}:a`], async () => {
    asked++;
    if (isAway) throw new Error("away");
    return store.pauses;
  });
  await one.pauses.start();
  await until("it has read", 2000, () => one.changes() === 1);
  isAway = true;
  store.pauses = [];
  const before = asked;
  await expect(one.pauses.changed()).rejects.toThrow("away");
  await until("it has asked in vain", 3000, () => asked > before + 1);
  expect([one.pauses.isPaused(`${room}:a`), await one.gauge()]).toEqual([true, [1]]);
  isAway = false;
  await until("it is resumed", 3000, () => !one.pauses.isPaused(`${room}:a`));
});

test("an older answer that comes late changes nothing", async () => {
  const room = unique();
  const answers: PromiseWithResolvers<readonly Pause[]>[] = [];
  const one = following({ pauses: [] }, [`${room}:a`], () => {
    answers.push(Promise.withResolvers());
    return answers.at(-1)!.promise;
  });
  await one.pauses.start();
  await until("it reads", 2000, () => answers.length === 1);
  const changed = one.pauses.changed();
  answers[1]!.resolve([pauseOf(`${room}:a`)]);
  await changed;
  answers[0]!.resolve([]);
  await until("it reads again", 3000, () => answers.length === 3);
  expect(one.pauses.isPaused(`${room}:a`)).toBe(true);
  answers[2]!.resolve([]);
  await until("it is resumed", 2000, () => !one.pauses.isPaused(`${room}:a`));
});
