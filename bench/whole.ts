import type { TestKenri } from "../server/testing/kenri.ts";
import type { Servers } from "./cpu.ts";
import { type Figure, mean, ms, percentile, perSecond } from "./measure.ts";
import { startKenri } from "./whole_kenri.ts";
import { closedLoop, load, openLoop, type Running, type Sample, type Traffic } from "./whole_load.ts";
import { type Bare, besidePgbench, pgbenchClients, startPgbench } from "./whole_pgbench.ts";
import { startPlain } from "./whole_plain.ts";

const rounds = 3;
// Until then the compiler of JavaScript uses up to a third of the CPU time.
const warmUp = 20_000;
const loads: readonly { readonly connections: number; readonly count: number }[] = [
  { connections: 1, count: 500 },
  { connections: 16, count: 4000 },
  { connections: 64, count: 6000 },
  { connections: 256, count: 6000 },
];

/** The samples of one load, by the name of the running system. */
type Samples = ReadonlyMap<string, readonly Sample[]>;

/**
 * The whole pipeline: grants through HTTP until every notification is SENT, with the CPU time of every process. With KENRI_BEFORE=<another checkout>
 * in turns with that one, each on databases of its own.
 */
export async function whole(another: () => Promise<TestKenri>, servers: Servers): Promise<Figure[]> {
  const before = process.env.KENRI_BEFORE;
  const running: Running[] = [];
  const figures: Figure[] = [];
  const pgbench = await startPgbench(servers);
  const bare: Bare[] = [];
  const runBare = async () => void (pgbench && bare.push(await pgbench.run()));
  try {
    const kenri = await another();
    running.push(await startKenri("now", kenri));
    if (before) running.push(await startKenri("before", await another(), before));
    const systems = [...running];
    running.push(await startPlain(kenri, servers));
    for (const one of running) await load(one, servers, "warm", warmUp, closedLoop(64));
    let most = 0;
    for (const { connections, count } of loads) {
      const where = `${connections} at once`;
      const isCompared = connections === pgbenchClients;
      const samples = await inTurns(running, servers, `c${connections}`, count, closedLoop(connections), isCompared ? runBare : undefined);
      figures.push(...figuresOf(where, samples));
      if (isCompared && bare.length > 0) figures.push(...besidePgbench(where, sumUp(samples.get("now")!), bare));
      most = Math.max(most, sumUp(samples.get("now")!).accepted);
    }
    const rate = Math.floor(most / 2);
    figures.push(...figuresOf(`${perSecond(rate)} arrive`, await inTurns(systems, servers, "open", 4000, openLoop(rate))));
  } finally {
    for (const one of running.reverse()) await one.stop();
    await pgbench?.stop();
  }
  return figures;
}

/** The same load on each system, in another order each round, so that what else the machine does hits all of them. */
async function inTurns(
  running: readonly Running[],
  servers: Servers,
  run: string,
  count: number,
  traffic: Traffic,
  afterRound?: () => Promise<void>,
): Promise<Samples> {
  const samples = new Map<string, Sample[]>(running.map(({ name }) => [name, []]));
  for (const one of running) await load(one, servers, `${run}-warm`, count / 4, traffic);
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < running.length; turn++) {
      const one = running[(turn + round) % running.length]!;
      samples.get(one.name)!.push(await load(one, servers, `${run}-${round}`, count, traffic));
    }
    await afterRound?.();
  }
  for (const [name, some] of samples) explain(`${name}, ${run}`, some);
  return samples;
}

const total = (map: ReadonlyMap<string, number>) => map.values().reduce((sum, one) => sum + one, 0);

const sumUp = (samples: readonly Sample[]) => ({
  accepted: mean(samples.map(one => one.accepted)),
  sent: mean(samples.map(one => one.sent)),
  cpu: mean(samples.map(one => total(one.cpu))),
  answers: samples.flatMap(one => one.answers),
  answerToSent: samples.flatMap(one => one.answerToSent),
  walBytes: mean(samples.map(one => one.walBytes)),
});

function figuresOf(where: string, samples: Samples): Figure[] {
  const now = samples.get("now")!;
  const plain = samples.get("plain");
  return [...figuresBeside(where, now, "before", samples.get("before")), ...(plain ? figuresBeside(where, now, "plain build", plain) : [])];
}

function figuresBeside(where: string, samples: readonly Sample[], name: string, others: readonly Sample[] | undefined): Figure[] {
  const now = sumUp(samples);
  const other = others && sumUp(others);
  const figure = (what: string, of: (one: typeof now) => number, text: (value: number) => string): Figure => ({
    what: `whole pipeline, ${where}: ${what}`,
    value: text(of(now)),
    against: other ? `${name}: ${text(of(other))}` : "",
    ratio: other && of(now) / of(other),
    goal: "",
  });
  const bytes = (value: number) => `${value.toFixed(0)} bytes`;
  return [
    figure("grants accepted", one => one.accepted, perSecond),
    figure("notifications SENT", one => one.sent, perSecond),
    figure(
      "CPU time of a grant",
      one => one.cpu,
      value => `${value.toFixed(0)} µs`,
    ),
    figure("answer, p50", one => percentile(one.answers, 50), ms),
    figure("answer, p99", one => percentile(one.answers, 99), ms),
    figure("answer → SENT, p50", one => percentile(one.answerToSent, 50), ms),
    figure("answer → SENT, p99", one => percentile(one.answerToSent, 99), ms),
    figure("WAL of a grant", one => one.walBytes, bytes),
  ];
}

/** Where the CPU time goes, and how many grants share a run of each statement. */
function explain(name: string, samples: readonly Sample[]): void {
  const average = (of: (one: Sample) => ReadonlyMap<string, number>) => {
    const sums = new Map<string, number>();
    for (const one of samples) for (const [key, value] of of(one)) sums.set(key, (sums.get(key) ?? 0) + value / samples.length);
    return [...sums].sort((a, b) => b[1] - a[1]);
  };
  const { count } = samples[0]!;
  const cpu = average(one => one.cpu).filter(([, value]) => value >= 1);
  const runs = average(one => one.runs).filter(([, value]) => value >= 1);
  console.error(`  ${name}: CPU in µs a grant: ${cpu.map(([key, value]) => `${key} ${value.toFixed(0)}`).join(", ")}`);
  console.error(`    grants a run: ${runs.map(([key, value]) => `${key} ${(count / value).toFixed(1)}`).join(", ")}`);
}
