// `bun run drill <id> …`: causes failures on dev stacks of their own, waits until the alert fires, repairs them as the runbook says, and waits until it ends.
import { answerHelp } from "../../stack/help.ts";
import { endWithLaunchers } from "../../stack/launcher.ts";
import { until } from "../../stack/wait.ts";
import { type Drill, drills } from "./drills.ts";
import { openStage, type Stage } from "./stage.ts";

const ids = Object.keys(drills);
answerHelp(
  `usage: npx bun run drill <id> …

Each drill starts a dev stack of its own with a Prometheus, causes a failure of docs/failure-modes.md, waits until its alert fires, repairs it and waits until the
alert has ended. A drill takes a few minutes: alerts wait before they fire.

${ids.map(id => `  ${id.padEnd(18)} ${drills[id]!.what}`).join("\n")}`,
  { takes: argument => ids.includes(argument) },
);
const wanted = process.argv.slice(2);
if (wanted.length === 0) {
  console.error(`name a drill: ${ids.join(", ")}`);
  process.exit(2);
}

endWithLaunchers();
const firesWithin = 15 * 60_000;
const endsWithin = 15 * 60_000;

for (const id of wanted) await run(id, drills[id]!);

async function run(id: string, drill: Drill): Promise<void> {
  console.log(`${id}: ${drill.what}`);
  const stage = await openStage(drill.settings ?? {});
  let goesOn = true;
  const traffic = (async () => {
    while (goesOn) {
      await drill.traffic?.(stage).catch(() => {}); // a refused request is what users see
      await Bun.sleep(1000);
    }
  })();
  try {
    await timed("it is healthy: no alert fires", endsWithin, async () => (await firing(stage)).length === 0 && (await isScraped(stage)));
    await drill.cause(stage);
    await timed(`the metric moves: ${drill.moves}`, firesWithin, async () =>
      (await stage.query(drill.moves)).some(({ value }) => value > 0),
    );
    await timed(`${drill.alert} fires`, firesWithin, () => fires(stage, drill));
    await drill.repair(stage);
    await timed(`${drill.alert} has ended after the repair`, endsWithin, async () => !(await fires(stage, drill)));
  } finally {
    goesOn = false;
    await traffic;
    await stage.close();
  }
}

async function timed(what: string, within: number, condition: () => Promise<boolean>): Promise<void> {
  const since = performance.now();
  await until(what, within, condition, 1000);
  console.log(`  ${what} (${Math.round((performance.now() - since) / 1000)} s)`);
}

async function isScraped(stage: Stage): Promise<boolean> {
  return (await stage.query('min(up{job="kenri"})')).some(({ value }) => value === 1);
}

function firing(stage: Stage): ReturnType<Stage["query"]> {
  return stage.query('ALERTS{alertstate="firing"}');
}

async function fires(stage: Stage, { alert, labels = {} }: Drill): Promise<boolean> {
  const found = (await firing(stage)).filter(one => one.labels.alertname === alert);
  return found.some(one => Object.entries(labels).every(([name, value]) => one.labels[name] === value));
}
