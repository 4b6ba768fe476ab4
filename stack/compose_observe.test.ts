import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { promtool } from "../ops/prometheus/rule_cases.ts";
import { systemOf } from "../server/systems.ts";
import { checkout } from "./checkout.ts";

interface Service {
  image: string;
  profiles?: string[];
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  networks?: string[];
  volumes?: string[];
  read_only?: boolean;
  cap_drop?: string[];
}

interface PrometheusConfig {
  rule_files: string[];
  global: { scrape_interval: string };
  scrape_configs: { job_name: string; static_configs: { targets: string[]; labels: Record<string, string> }[] }[];
}

interface Datasources {
  datasources: { uid: string; type: string; url: string; jsonData: { timeInterval: string } }[];
}

const read = <T>(file: string) => parse(readFileSync(join(checkout, file), "utf8"), { merge: true }) as T;
const { services, volumes } = read<{ services: Record<string, Service>; volumes: Record<string, null> }>("compose.yaml");
const prometheus = services.prometheus!;
const grafana = services.grafana!;
const jaeger = services.jaeger!;
const roles = Object.entries(services).filter(([name, { command = [] }]) => command[1] === "server/main.ts" && name !== "migrate");
const config = read<PrometheusConfig>("ops/prometheus/prometheus.yml");
const provisioning = "ops/grafana/provisioning";
const [datasource] = read<Datasources>(`${provisioning}/datasources/prometheus.yml`).datasources;

test("only Prometheus, Grafana and Jaeger are in the profile observe", () => {
  expect(Object.keys(services).filter(name => services[name]?.profiles)).toEqual(["prometheus", "grafana", "jaeger"]);
  for (const { profiles } of [prometheus, grafana, jaeger]) expect(profiles).toEqual(["observe"]);
});

test("Prometheus scrapes every container of a role, with the label of its system, as the job kenri", () => {
  const wanted = roles.map(([name, { command = [], environment = {} }]) => ({
    target: `${name}:${environment.HEALTH_PORT}`,
    labels: { system: systemOf(command[2]!).name },
  }));
  expect(config.scrape_configs.map(({ job_name }) => job_name)).toEqual(["kenri"]);
  const scraped = config.scrape_configs[0]!.static_configs.flatMap(({ targets, labels }) => targets.map(target => ({ target, labels })));
  const byTarget = (one: { target: string }, other: { target: string }) => one.target.localeCompare(other.target);
  expect(scraped.toSorted(byTarget)).toEqual(wanted.toSorted(byTarget));
  const apart = roles.filter(([, { networks = [] }]) => !networks.some(network => prometheus.networks!.includes(network)));
  expect(apart.map(([name]) => name)).toEqual([]);
});

test("the configuration of Prometheus is valid, with the rules", async () => {
  const { code, output } = await promtool("check", "config", join(checkout, "ops/prometheus/prometheus.yml"));
  expect([code, output]).toEqual([0, expect.stringMatching(/2 rule files found/)]);
});

test("Prometheus keeps what the longest objective needs", () => {
  const days = /--storage\.tsdb\.retention\.time=(\d+)d/.exec(prometheus.command!.join(" "))?.[1];
  const windows = [...readFileSync(join(checkout, "ops/prometheus/objectives.rules.yml"), "utf8").matchAll(/\[(\d+)d\]/g)];
  expect(Number(days)).toBeGreaterThan(Math.max(...windows.map(([, window]) => Number(window))));
});

test("files are mounted read-only and exist; other mounts are volumes", () => {
  for (const { volumes: mounts = [] } of [prometheus, grafana])
    for (const [source = "", , mode] of mounts.map(mount => mount.split(":")))
      if (source.startsWith("./")) expect([source, existsSync(join(checkout, source)), mode]).toEqual([source, true, "ro"]);
      else expect(Object.keys(volumes)).toContain(source);
});

test("Grafana finds the data source that the dashboards name, and the dashboards", () => {
  expect(datasource).toMatchObject({ uid: "prometheus", type: "prometheus", url: "http://prometheus:9090" });
  expect(datasource!.jsonData.timeInterval).toBe(config.global.scrape_interval);
  expect(grafana.networks!.filter(network => prometheus.networks!.includes(network))).toEqual(["prometheus"]);
  const { providers } = read<{ providers: { options: { path: string } }[] }>(`${provisioning}/dashboards/kenri.yml`);
  const mounted = providers.map(({ options }) => `./ops/grafana/dashboards:${options.path}:ro`);
  expect(grafana.volumes).toEqual(expect.arrayContaining([...mounted, `./${provisioning}:/etc/grafana/provisioning:ro`]));
  const home = grafana.environment!.GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH!;
  expect(existsSync(join(checkout, "ops/grafana/dashboards", home.replace(providers[0]!.options.path, "")))).toBe(true);
});

test("every role gets the variables of traces, which are off by default, and reaches Jaeger; the gateway gets the address of its page", () => {
  const passed = ["ENDPOINT", "HEADERS"].map(name => `OTEL_EXPORTER_OTLP_${name}`);
  for (const [name, { environment = {}, networks = [] }] of roles) {
    for (const variable of [...passed, "OTEL_TRACES_SAMPLER", "OTEL_TRACES_SAMPLER_ARG"])
      expect([name, environment[variable]]).toEqual([name, `\${${variable}:-}`]);
    expect([name, networks.some(network => jaeger.networks!.includes(network))]).toEqual([name, true]);
  }
  expect(services.gateway!.environment!.TRACE_VIEWER_URL).toBe(`\${TRACE_VIEWER_URL:-}`);
  const text = readFileSync(join(checkout, "compose.yaml"), "utf8");
  const [, endpoint, viewer] = /^# {3}export OTEL_EXPORTER_OTLP_ENDPOINT=(\S+) TRACE_VIEWER_URL='(\S+)'$/m.exec(text) ?? [];
  expect(jaeger.command!.join(" ")).toContain(`0.0.0.0:${new URL(endpoint!).port}`);
  expect([new URL(endpoint!).hostname, jaeger.ports]).toEqual(["jaeger", [`127.0.0.1:${new URL(viewer!).port}:16686`]]);
  expect(viewer).toContain("{trace_id}");
});

test("the gateway reaches Prometheus if it is named, and needs none", () => {
  const gateway = services.gateway!;
  expect(gateway.environment!.PROMETHEUS_URL).toBe(`\${KENRI_PROMETHEUS_URL:-}`);
  expect(gateway.networks!.some(network => prometheus.networks!.includes(network))).toBe(true);
});

test("only Grafana and Jaeger have a port, on loopback, and nobody is in Grafana without the password of .env", () => {
  expect([prometheus.ports, grafana.ports]).toEqual([undefined, ["127.0.0.1:3000:3000"]]);
  expect(grafana.environment).toMatchObject({
    GF_SECURITY_ADMIN_PASSWORD: `\${KENRI_GRAFANA_PASSWORD:?see the top of compose.yaml}`,
    GF_AUTH_ANONYMOUS_ENABLED: "false",
    GF_USERS_ALLOW_SIGN_UP: "false",
  });
});

test("they run without privileges on a file system that they cannot change", () => {
  for (const { read_only, cap_drop } of [prometheus, grafana, jaeger]) expect([read_only, cap_drop]).toEqual([true, ["ALL"]]);
});
