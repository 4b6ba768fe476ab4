import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "./checkout.ts";
import { endLeftover } from "./leftover.ts";
import { choosePort } from "./ports.ts";
import { findPrometheus } from "./prometheus_binary.ts";
import { type ServerProcess, superviseServer } from "./server_process.ts";
import type { StackContext } from "./stack.ts";

export interface PrometheusServer {
  readonly process: ServerProcess;
  readonly url: string;
}

export interface PrometheusOptions extends Pick<StackContext, "dir" | "say" | "watchdog" | "onGiveUp"> {
  /** The health URL of each system. */
  readonly healthUrls: Readonly<Record<string, string>>;
  /** How often it scrapes and evaluates the rules, in seconds. */
  readonly every: number;
  /** Where it will listen: the result of `choosePrometheusUrl`. */
  readonly url: string;
  /** Other rules than those of ops/prometheus/. */
  readonly ruleFiles?: readonly string[];
}

const usualPort = 9090;

/** The address of a Prometheus that starts later: the gateway needs it before. `usualPorts`: false = only a random port. */
export async function choosePrometheusUrl(dir: string, usualPorts = true): Promise<string> {
  await endLeftover(dir, "prometheus");
  return `http://127.0.0.1:${await choosePort(dir, "prometheus", usualPorts ? usualPort : undefined)}`;
}

/** A Prometheus with Kenri's rules that scrapes every system. Not started yet, so that a Ctrl-C during the start can stop it. */
export async function preparePrometheus(options: PrometheusOptions): Promise<PrometheusServer> {
  const { dir, say, watchdog, onGiveUp, url } = options;
  const { prometheus } = await findPrometheus({ say });
  const config = join(dir, "prometheus.json");
  writeFileSync(config, JSON.stringify(configOf(options)));
  const server = superviseServer({
    name: "prometheus",
    dir,
    command: [
      prometheus,
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(dir, "prometheus")}`,
      "--storage.tsdb.retention.time=30d", // error budgets need 28 days
      `--web.listen-address=${new URL(url).host}`,
      "--log.level=warn",
    ],
    env: { PATH: process.env.PATH },
    ready: async () => (await fetch(`${url}/-/ready`, { signal: AbortSignal.timeout(2_000) })).ok,
    readyWithin: 30_000,
    stopSignal: "SIGTERM",
    watchdog,
    onGiveUp,
    say,
  });
  return { process: server, url };
}

/** JSON is YAML. */
const configOf = ({ healthUrls, every, ruleFiles = [join(checkout, "ops", "prometheus", "*.rules.yml")] }: PrometheusOptions) => ({
  global: { scrape_interval: `${every}s`, evaluation_interval: `${every}s` },
  rule_files: ruleFiles,
  scrape_configs: [
    {
      job_name: "kenri",
      static_configs: Object.entries(healthUrls).map(([system, url]) => ({ targets: [new URL(url).host], labels: { system } })),
    },
  ],
});

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** The present samples of a query. */
export async function queryPrometheus(url: string, expr: string): Promise<Sample[]> {
  const answer = await fetch(`${url}/api/v1/query?query=${encodeURIComponent(expr)}`, { signal: AbortSignal.timeout(10_000) });
  if (!answer.ok) throw new Error(`Prometheus refuses ${expr}: ${await answer.text()}`);
  const { data } = (await answer.json()) as { data: { result: { metric: Record<string, string>; value: [number, string] }[] } };
  return data.result.map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }));
}
