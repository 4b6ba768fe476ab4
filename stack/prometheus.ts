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
}

const usualPort = 9090;

/** A Prometheus with Kenri's rules that scrapes every system. Not started yet, so that a Ctrl-C during the start can stop it. */
export async function preparePrometheus({ dir, say, watchdog, onGiveUp, healthUrls, every }: PrometheusOptions): Promise<PrometheusServer> {
  const { prometheus } = await findPrometheus({ say });
  await endLeftover(dir, "prometheus");
  const port = await choosePort(dir, "prometheus", usualPort);
  const url = `http://127.0.0.1:${port}`;
  const config = join(dir, "prometheus.json");
  writeFileSync(config, JSON.stringify(configOf(healthUrls, every)));
  const server = superviseServer({
    name: "prometheus",
    dir,
    command: [
      prometheus,
      `--config.file=${config}`,
      `--storage.tsdb.path=${join(dir, "prometheus")}`,
      "--storage.tsdb.retention.time=30d", // error budgets need 28 days
      `--web.listen-address=127.0.0.1:${port}`,
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
const configOf = (healthUrls: PrometheusOptions["healthUrls"], every: number) => ({
  global: { scrape_interval: `${every}s`, evaluation_interval: `${every}s` },
  rule_files: [join(checkout, "ops", "prometheus", "*.rules.yml")],
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
