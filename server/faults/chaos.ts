// `bun run test:faults [--seed N] [--seconds S]`: runs two of every process under load with random faults, then heals, drains and compares
// the answers to clients with the databases. The same seed makes the same faults in the same order.
import { parseArgs } from "node:util";
import { answerHelp } from "../../stack/help.ts";
import { becomes, until } from "../../stack/wait.ts";
import { drained, findInconsistencies } from "../testing/consistency.ts";
import { testKenri } from "../testing/kenri.ts";
import { seeded } from "../testing/random.ts";
import { cutStream, privateServers } from "../testing/servers.ts";
import { disorderInStream, streamOf } from "../testing/stream.ts";
import { countOf, traffic } from "../testing/traffic.ts";
import { type Cast, cast, type Part } from "./chaos_cast.ts";

answerHelp(
  `usage: npx bun run test:faults [--seed N] [--seconds S]

Two of every process under load with random faults for S seconds (60), then a consistency check of both systems. A seed repeats a run.`,
  { takes: () => true },
);
const { values } = parseArgs({ options: { seed: { type: "string" }, seconds: { type: "string", default: "60" } } });
const seed = Number(values.seed ?? 1 + Math.floor(Math.random() * 1_000_000));
const seconds = Number(values.seconds);
const say = (line: string) => console.log(`${(performance.now() / 1000).toFixed(1).padStart(6)} s  ${line}`);

say(`seed ${seed}, ${seconds} s of faults`);
const stack = await privateServers("postgres", "nats");
const kenri = await testKenri(
  {
    OUTBOX_LEASE: "2s",
    OUTBOX_PUBLISH_WITHIN: "1s",
    OUTBOX_OVERDUE: "3s",
    NOTIFICATION_LEASE: "2s",
    CONSUMER_ACK_WAIT: "2s",
    DATABASE_DEADLINE: "2s",
  },
  { postgresUrl: stack.postgres.adminUrl, natsUrl: stack.nats.url },
);
const points: Record<string, [string, string]> = {
  "entitlement:relay": ["outbox.claimed", "outbox.published"],
  "notification:consumer": ["intake.before_commit", "intake.committed"],
  "notification:sender": ["notification.claimed", "notification.sent"],
};
let wiped = false;
const done = new Map<string, number>();
const actors = await cast(kenri, stack);
const load = traffic(kenri, { clients: 16, hot: 8, pause: 4, bases: actors.bases });
await until(
  "the pipeline runs",
  30_000,
  async () => (await kenri.notificationSql`select from notifications where status = 'SENT'`).length > 100,
);
const end = performance.now() + seconds * 1000;
await Promise.all([breakProcesses(actors, seeded(seed)), breakServers(seeded(seed + 1))]);

say("heal");
for (const one of actors.parts) one.resume();
const ledger = await load.stop();
const problems = await judge();
await report(problems);
await kenri.close();
await stack.stop();
process.exit(problems.length === 0 ? 0 : 1);

async function breakProcesses({ parts }: Cast, random: (below: number) => number): Promise<void> {
  while (performance.now() < end) {
    const one = parts[random(parts.length)]!;
    const how = random(3);
    const point = points[one.role]?.[random(2)];
    // Up to twice the lease.
    const pause = 300 + random(4000);
    if (how === 0) await fault(`kill -9 ${one.name}`, one.kill);
    else if (how === 1 || !point) await fault(`stop ${one.name}`, () => hang(one, pause));
    else await worstMoment(one, point, random(2) === 0, pause + 2000);
    await passes(100 + random(900));
  }
}

/** Replaces it by a process that dies or hangs in the middle of its first batch. */
async function worstMoment(one: Part, point: string, dies: boolean, pause: number): Promise<void> {
  await fault(`${dies ? "kill -9" : "stop"} at ${point}`, async () => {
    await one.kill({ [dies ? "FAULT_KILL_AT" : "FAULT_STOP_AT"]: point });
    await passes(pause);
    if (dies) await one.kill();
    else one.resume();
  });
}

async function breakServers(random: (below: number) => number): Promise<void> {
  const { postgres, nats } = stack;
  while (performance.now() < end) {
    const away = 200 + random(4000);
    const which = random(6);
    if (which === 0) await fault("kill -9 PostgreSQL", () => down(postgres, away));
    if (which === 1) await fault("stop PostgreSQL", () => hang(postgres, away));
    if (which === 2) await fault("kill -9 NATS", () => down(nats, away));
    if (which === 3) await fault("stop NATS", () => hang(nats, away));
    if (which === 4) {
      wiped = true;
      await fault("kill -9 NATS and wipe its store", () => down(nats, away, nats.wipe));
    }
    if (which === 5) {
      wiped = true;
      await fault("kill -9 NATS and cut its store", () => down(nats, away, () => cutStream(stack, streamOf(kenri), random(10) / 10)));
    }
    await passes(500 + random(3500));
  }
}

async function fault(name: string, work: () => Promise<void>): Promise<void> {
  say(name);
  const kind = name.replace(/ \d$/, "");
  done.set(kind, (done.get(kind) ?? 0) + 1);
  await work();
}

async function down(server: { halt(): Promise<void>; start(): Promise<void> }, milliseconds: number, meanwhile = () => {}): Promise<void> {
  await server.halt();
  meanwhile();
  await passes(milliseconds);
  await server.start();
}

async function hang(server: { pause(): void; resume(): void }, milliseconds: number): Promise<void> {
  server.pause();
  await passes(milliseconds);
  server.resume();
}

async function passes(milliseconds: number): Promise<void> {
  await becomes(milliseconds, () => false, Math.min(milliseconds, 50));
}

/** All inconsistencies after the heal. */
async function judge(): Promise<string[]> {
  const open = await drained(kenri, 60_000).then(
    () => [],
    error => [(error as Error).message],
  );
  say("drained; checking the consistency");
  const books = await findInconsistencies(kenri, ledger);
  const disorder = wiped ? [] : await disorderInStream(kenri);
  const surprises = actors.parts
    .flatMap(one => one.past)
    .flatMap(one => one.lines.filter(line => /unhandled|unexpectedly|cannot start/.test(line)));
  const exits = await Promise.all(
    actors.parts.map(async one => {
      const died = one.past.filter(process => process !== one.process() && process.killedBy !== "SIGKILL").length;
      return died > 0 ? [`${one.name} ended by itself`] : (await one.stop()) === 0 ? [] : [`${one.name} did not stop in good order`];
    }),
  );
  return [...open, ...books, ...disorder, ...surprises.slice(0, 10), ...exits.flat()];
}

async function report(problems: readonly string[]): Promise<void> {
  const met = [
    "outbox.fenced",
    "outbox.reclaim",
    "notification.fenced",
    "notification.reclaim",
    "outbox.stream_lost_messages",
    "outbox.missing_at_notification",
    "breaker.opened",
  ];
  const lines = actors.parts.flatMap(one => one.past).flatMap(one => one.lines);
  const count = (text: string) => lines.filter(line => line.includes(`"msg":"${text}"`)).length;
  console.log(`faults    ${[...done].map(([name, times]) => `${name} × ${times}`).join(", ")}`);
  console.log(
    `answers   ${[...ledger.answers].map(([status, times]) => `${status || "none"} × ${times}`).join(", ")}, the slowest ${Math.round(ledger.slowest())} ms`,
  );
  console.log(`met       ${met.map(text => `${text} × ${count(text)}`).join(", ")}`);
  console.log(`events    ${countOf(ledger.granted)} answered 200`);
  for (const problem of problems.slice(0, 30)) console.log(`WRONG     ${problem}`);
  console.log(problems.length === 0 ? `all is well, seed ${seed}` : `${problems.length} things are wrong, seed ${seed}`);
}
