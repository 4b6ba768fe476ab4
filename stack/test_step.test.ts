import { expect, test } from "bun:test";
import { alive } from "./process_table.ts";
import { stepRunner } from "./test_step.ts";
import { until } from "./wait.ts";
import { startWatchdog } from "./watchdog.ts";

test("an aborted command ends with all its processes, also those in a group of their own", async () => {
  const watchdog = startWatchdog();
  let shown = "";
  const steps = stepRunner(process.env, watchdog, text => {
    shown += text;
  });
  const running = steps.tests("a command", ["bash", "-mc", "sleep 300 & echo started $!; wait"]);
  await until("it has started", 5000, () => /started \d+/.test(shown));
  const child = Number(/started (\d+)/.exec(shown)![1]);
  expect(alive(child)).toBe(true);
  steps.abort();
  expect((await running).failed).toBe(1);
  await until("its child has ended", 5000, () => !alive(child));
  watchdog.close();
});
