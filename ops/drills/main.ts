// `bun run drill <id> …`: causes failures on stacks of their own, waits until the alert fires, repairs them as the runbook says, and checks the result.
import { answerHelp } from "../../stack/help.ts";
import { endWithLaunchers, stopSignals } from "../../stack/launcher.ts";
import { drills } from "./drills.ts";
import { type DrillTimes, runDrill } from "./run.ts";
import { openStage } from "./stage.ts";

const ids = Object.keys(drills);
const realTime = "--real-time";
answerHelp(
  `usage: npx bun run drill <id> … [${realTime}]
       npx bun run drill all [${realTime}]

Each drill starts a stack of its own with a Prometheus, causes a failure of docs/failure-modes.md, waits until its alert fires, repairs it as docs/runbook.md says,
waits until the alert has ended, and checks that the system is whole. The times of the rules are divided by 12, so that a drill takes a minute or two. With
${realTime} the rules are as they are, and a drill takes up to half an hour.

${ids.map(id => `  ${id.padEnd(20)} ${drills[id]!.what}`).join("\n")}`,
  { takes: argument => ids.includes(argument) || argument === "all" || argument === realTime },
);
const named = process.argv.slice(2).filter(argument => argument !== realTime);
const factor = process.argv.includes(realTime) ? 1 : 12;
const wanted = named.includes("all") ? ids : named;
if (wanted.length === 0) {
  console.error(`name a drill, or all: ${ids.join(", ")}`);
  process.exit(2);
}

endWithLaunchers();
let closeStage: (() => Promise<void>) | undefined;
let isInterrupted = false;
for (const name of stopSignals()) process.on(name, () => void interrupt());

const rows: string[] = [];
let failed = 0;
for (const id of wanted) {
  if (isInterrupted) break;
  console.log(`${id}: ${drills[id]!.what}`);
  try {
    rows.push(rowOf(id, await run(id)));
    console.log(`  ${rows.at(-1)}`);
  } catch (error) {
    failed++;
    console.error(`  FAILED ${(error as Error).message}`);
    rows.push(`| \`${id}\` | FAILED |`);
  }
}
if (isInterrupted) await interrupt();
console.log(`\n| drill | alert | rules | fired after | ended after the repair | whole after | run on |\n${rows.join("\n")}`);
process.exit(failed === 0 ? 0 : 1);

/** Without a stage the watchdog ends what was started so far. */
async function interrupt(): Promise<void> {
  isInterrupted = true;
  await closeStage?.();
  process.exit(130);
}

async function run(id: string): Promise<DrillTimes> {
  const drill = drills[id]!;
  const stage = await openStage({ ...drill, factor });
  closeStage = stage.close;
  try {
    return await runDrill(stage, drill, { say: line => console.log(line) });
  } finally {
    await stage.close();
  }
}

/** For the table in docs/failure-modes.md. */
function rowOf(id: string, { fired, ended, whole }: DrillTimes): string {
  const { alert, labels = {} } = drills[id]!;
  const named = [`\`${alert}\``, ...Object.values(labels)].join(", ");
  const rules = factor === 1 ? "as they are" : `${factor} times faster`;
  return `| \`${id}\` | ${named} | ${rules} | ${fired} s | ${ended} s | ${whole} s | ${new Date().toISOString().slice(0, 10)} |`;
}
