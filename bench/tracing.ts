import type { TestKenri } from "../server/testing/kenri.ts";
import { startProcess, type TestProcess } from "../server/testing/process.ts";
import { cpuSeconds } from "./cpu.ts";
import { type Figure, percentile, perSecond, throughput } from "./measure.ts";

const concurrency = 64;
const rounds = 16;
const count = 2000;
const sampled = (share: string) => ({ OTEL_TRACES_SAMPLER: "parentbased_traceidratio", OTEL_TRACES_SAMPLER_ARG: share });

/** One way to run the API, with its rate and the CPU time of a grant in microseconds, in each round. */
interface Variant {
  readonly name: string;
  readonly process: TestProcess;
  readonly url: string;
  readonly rates: number[];
  readonly cpu: number[];
}

/**
 * Grants through HTTP with traces off, of 1 % and of all requests, and of the checkout in KENRI_BEFORE if it is set. Each way is a process of its own on
 * the same database. They run in turns, in another order each round, so that what else the machine does hits all of them.
 */
export async function tracing(kenri: TestKenri): Promise<Figure[]> {
  const receiver = await startReceiver();
  const traced = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
  const before = process.env.KENRI_BEFORE;
  const variants: Variant[] = [];
  try {
    for (const [name, environment, checkout] of [
      ["off", {}, undefined],
      ["1 %", { ...traced, ...sampled("0.01") }, undefined],
      ["100 %", { ...traced, ...sampled("1") }, undefined],
      ...(before ? [["before", {}, before] as const] : []),
    ] as const)
      variants.push(await startVariant(kenri, name, environment, checkout));
    for (const one of variants) await measure(kenri, one, "warm");
    for (const one of variants) for (const values of [one.rates, one.cpu]) values.length = 0;
    for (let round = 0; round < rounds; round++)
      for (let turn = 0; turn < variants.length; turn++) await measure(kenri, variants[(turn + round) % variants.length]!, String(round));
    return figuresOf(variants);
  } finally {
    await Promise.all(variants.map(one => one.process.stop()));
    receiver.stop();
  }
}

/** Answers each request and reads nothing of it. Its own CPU time is not measured, so it has a low priority. */
async function startReceiver(): Promise<{ readonly url: string; stop(): void }> {
  const code = `require("node:os").setPriority(19);
    console.log(Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: async request => (await request.arrayBuffer(), Response.json({})) }).url.origin)`;
  const child = Bun.spawn([process.execPath, "-e", code], { stdout: "pipe", stderr: "inherit" });
  for await (const chunk of child.stdout.pipeThrough(new TextDecoderStream())) return { url: chunk.trim(), stop: () => child.kill() };
  throw new Error("the receiver of traces did not start");
}

async function startVariant(kenri: TestKenri, name: string, environment: Record<string, string>, checkout?: string): Promise<Variant> {
  const started = startProcess("entitlement:api", { ...kenri.environment, ...environment }, checkout);
  await started.logged('"system":"entitlement","msg":"ready"');
  const line = started.lines.find(text => text.includes("http.listening"))!;
  return { name, process: started, url: (JSON.parse(line) as { url: string }).url, rates: [], cpu: [] };
}

async function measure(kenri: TestKenri, { name, process: running, url, rates, cpu }: Variant, round: string): Promise<void> {
  const since = cpuSeconds(running.pid);
  const rate = await throughput(concurrency, count, async n => {
    const id = `${name.replace(/\W/g, "")}-${round}-${n}`;
    const response = await kenri.grant(id, "item", { key: id, base: url });
    if (response.status !== 200) throw new Error(`a grant got ${response.status}`);
    await response.arrayBuffer();
  });
  rates.push(rate);
  cpu.push(((cpuSeconds(running.pid) - since) * 1e6) / count);
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const median = (values: readonly number[]) => percentile(values, 50);

function figuresOf(variants: readonly Variant[]): Figure[] {
  const [off, ...others] = variants as [Variant, ...Variant[]];
  const compare = (one: Variant, other: Variant, goal: string): Figure[] => [
    {
      what: `grants through HTTP, traces ${one.name}`,
      value: perSecond(median(one.rates)),
      against: `traces ${other.name}: ${perSecond(median(other.rates))}`,
      ratio: median(one.rates.map((rate, round) => rate / other.rates[round]!)),
      goal,
    },
    {
      what: `CPU time of a grant in the API, traces ${one.name}`,
      value: `${(sum(one.cpu) / rounds).toFixed(0)} µs`,
      against: `traces ${other.name}: ${(sum(other.cpu) / rounds).toFixed(0)} µs`,
      ratio: sum(one.cpu) / sum(other.cpu),
      goal: "",
    },
  ];
  return others.flatMap(one => (one.name === "before" ? compare(off, one, "≥ 0.98") : compare(one, off, "")));
}
