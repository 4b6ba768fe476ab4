import { becomes } from "../../stack/wait.ts";
import type { Drill } from "./drill.ts";
import type { Stage } from "./stage.ts";
import { findMissing } from "./whole.ts";

/** How long each step took, in seconds. */
export interface DrillTimes {
  /** From the cause until the metric moved, and until the alert fired. */
  readonly moved: number;
  readonly fired: number;
  /** From the repair until the alert has ended, and until the system was whole. */
  readonly ended: number;
  readonly whole: number;
}

export interface DrillOptions {
  readonly say?: (line: string) => void;
  /** The most milliseconds for each step. */
  readonly within?: number;
}

/** Causes the failure, waits for the alert, repairs it, and waits until all is well. Throws what it waited for in vain. */
export async function runDrill(stage: Stage, drill: Drill, options: DrillOptions = {}): Promise<DrillTimes> {
  // A burn alert ends when its short window has passed; a busy machine needs longer.
  const { say = () => {}, within = (5 + 10 / stage.factor) * 60_000 } = options;
  const wait = async (what: string, condition: () => Promise<boolean>, found = () => told(stage, drill)) => {
    const since = performance.now();
    // Prometheus may be slow for a moment.
    if (!(await becomes(within, () => condition().catch(() => false), 500)))
      throw new Error(`not within ${within / 1000} s: ${what}. Found: ${await found()}`);
    say(`  ${what} (${secondsSince(since)} s)`);
  };

  await wait("it is healthy: everything is scraped and no alert fires", () => isHealthy(stage, drill));
  await drill.prepare?.(stage);
  const traffic = startTraffic(stage, drill);
  try {
    const caused = performance.now();
    await drill.cause(stage);
    await wait(`the metric moves: ${drill.moves}`, () => moves(stage, drill));
    const moved = secondsSince(caused);
    await wait(`${drill.alert} fires`, () => fires(stage, drill));
    const fired = secondsSince(caused);
    const repaired = performance.now();
    await drill.repair(stage);
    await wait(`${drill.alert} has ended after the repair`, async () => !(await fires(stage, drill)));
    const ended = secondsSince(repaired);
    await traffic.stop();
    const missing = () => findMissing(stage, drill);
    await wait(
      "the system is whole: no backlog, every answer has its effect once",
      async () => (await missing()).length === 0,
      async () => (await missing()).join("; "),
    );
    // Without any answer the check above would say nothing.
    if (drill.traffic && traffic.answered() === 0) throw new Error("no request of the traffic was answered");
    await drill.check?.(stage);
    return { moved, fired, ended, whole: secondsSince(repaired) };
  } finally {
    await traffic.stop();
  }
}

const secondsSince = (time: number) => Math.round((performance.now() - time) / 1000);

/** One request a second, also while earlier ones wait for their answer. */
function startTraffic(stage: Stage, { traffic }: Drill): { answered(): number; stop(): Promise<void> } {
  let answered = 0;
  const waiting = new Set<Promise<unknown>>();
  const send = () => {
    if (!traffic || waiting.size >= 40) return;
    const one: Promise<unknown> = traffic(stage)
      .then(
        () => answered++,
        () => {},
      )
      .finally(() => waiting.delete(one));
    waiting.add(one);
  };
  const timer = setInterval(send, 1000);
  return {
    answered: () => answered,
    async stop() {
      clearInterval(timer);
      await Promise.all(waiting);
    },
  };
}

async function isHealthy(stage: Stage, drill: Drill): Promise<boolean> {
  const isScraped = (await stage.query('min(up{job="kenri"})')).some(({ value }) => value === 1);
  return isScraped && (await alerts(stage)).length === 0 && !(await moves(stage, drill));
}

const alerts = (stage: Stage) => stage.query('ALERTS{alertstate="firing"}');

async function moves(stage: Stage, drill: Drill): Promise<boolean> {
  return (await stage.query(drill.moves)).some(({ value }) => value > 0);
}

async function fires(stage: Stage, { alert, labels = {} }: Drill): Promise<boolean> {
  const found = (await alerts(stage)).filter(one => one.labels.alertname === alert);
  return found.some(one => Object.entries(labels).every(([name, value]) => one.labels[name] === value));
}

/** For the message of a drill that failed. */
async function told(stage: Stage, drill: Drill): Promise<string> {
  const named = (await stage.query("ALERTS")).map(
    ({ labels: { alertname, alertstate, __name__, severity, ...rest } }) => `${alertname} ${alertstate} ${JSON.stringify(rest)}`,
  );
  const metric = (await stage.query(drill.moves)).map(({ value }) => value);
  return `${drill.moves} is ${metric.join(", ") || "absent"}; alerts: ${named.join(", ") || "none"}`;
}
