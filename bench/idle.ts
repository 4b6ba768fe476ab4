import type { TestKenri } from "../server/testing/kenri.ts";
import type { Servers } from "./cpu.ts";
import { cpuOf } from "./cpu.ts";
import { type Figure, mean } from "./measure.ts";
import { startKenri } from "./whole_kenri.ts";
import { closedLoop, difference, load, type Running } from "./whole_load.ts";

const rounds = 3;
const seconds = 20;

interface Idle {
  /** Statements a second, by name. */
  readonly runs: ReadonlyMap<string, number>;
  /** Percent of a core, by process or kind of backend. */
  readonly cpu: ReadonlyMap<string, number>;
}

/** What both systems cost while nobody uses them. With KENRI_BEFORE=<another checkout> in turns with that one; the one that is not measured is paused. */
export async function idle(another: () => Promise<TestKenri>, servers: Servers): Promise<Figure[]> {
  const checkout = process.env.KENRI_BEFORE;
  const running: Running[] = [];
  const samples = new Map<string, Idle[]>();
  try {
    running.push(await startKenri("now", await another()));
    if (checkout) running.push(await startKenri("before", await another(), checkout));
    for (const one of running) await load(one, servers, "warm", 5000, closedLoop(16));
    for (const one of running) process.kill(one.pid, "SIGSTOP");
    for (let round = 0; round < rounds; round++)
      for (const one of running) samples.set(one.name, [...(samples.get(one.name) ?? []), await measure(one, servers)]);
  } finally {
    for (const one of running) process.kill(one.pid, "SIGCONT");
    for (const one of running.reverse()) await one.stop();
  }
  for (const [name, some] of samples) explain(name, some);
  const sum = (name: string, of: (one: Idle) => ReadonlyMap<string, number>) =>
    mean(
      samples.get(name)!.map(one =>
        of(one)
          .values()
          .reduce((total, value) => total + value, 0),
      ),
    );
  const figure = (what: string, of: (one: Idle) => ReadonlyMap<string, number>, unit: string): Figure => ({
    what: `an idle system: ${what}`,
    value: `${sum("now", of).toFixed(1)}${unit}`,
    against: checkout ? `before: ${sum("before", of).toFixed(1)}${unit}` : "",
    ratio: checkout ? sum("now", of) / sum("before", of) : undefined,
    goal: "≤ 0.33",
  });
  return [figure("statements", one => one.runs, "/s"), figure("CPU", one => one.cpu, " % of a core")];
}

async function measure(one: Running, servers: Servers): Promise<Idle> {
  process.kill(one.pid, "SIGCONT");
  await Bun.sleep(5000); // leases, pulls and connections that were paused
  const [runsBefore, before] = [await one.runs(), cpuOf(one.pid, servers)];
  const since = performance.now();
  await Bun.sleep(seconds * 1000);
  const scale = 1000 / (performance.now() - since);
  const after = cpuOf(one.pid, servers);
  const runs = difference(await one.runs(), runsBefore, scale);
  process.kill(one.pid, "SIGSTOP");
  return { runs, cpu: difference(after, before, 100 * scale) };
}

function explain(name: string, some: readonly Idle[]): void {
  const average = (of: (one: Idle) => ReadonlyMap<string, number>) =>
    [...of(some[0]!).keys()]
      .map(key => [key, mean(some.map(one => of(one).get(key) ?? 0))] as const)
      .filter(([, value]) => value >= 0.02)
      .sort((a, b) => b[1] - a[1])
      .map(([key, value]) => `${key} ${value.toFixed(2)}`)
      .join(", ");
  console.error(`  ${name}, idle: % of a core: ${average(one => one.cpu)}`);
  console.error(`    statements a second: ${average(one => one.runs)}`);
}
