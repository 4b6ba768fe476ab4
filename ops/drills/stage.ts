import { readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { prefixOf } from "../../server/kernel/config/system_settings.ts";
import { ensureDatabases } from "../../stack/databases.ts";
import { ensureApiKey } from "../../stack/dev_key.ts";
import { kenriPlace, kenriProcess } from "../../stack/dev_server.ts";
import { devSystems, type SystemName, storing } from "../../stack/dev_systems.ts";
import { choosePrometheusUrl, preparePrometheus, queryPrometheus, type Sample } from "../../stack/prometheus.ts";
import { scratchFolder } from "../../stack/scratch.ts";
import type { ServerProcess } from "../../stack/server_process.ts";
import { forgetStack, type Stack, serverNames, startStack } from "../../stack/stack.ts";
import { fasterRules } from "../prometheus/faster_rules.ts";
import { ruleFiles } from "../prometheus/rule_cases.ts";

/** The servers and systems of `bun run dev` in a folder of their own with a Prometheus, on which drills cause failures. */
export interface Stage {
  /** PostgreSQL, NATS, Redis, the identity provider and the broker. */
  readonly servers: Stack;
  /** The process of a system. */
  kenri(system: SystemName): ServerProcess;
  /** A setting of the process of a system from its next start on; undefined: as before. */
  set(system: SystemName, variable: string, value: string | undefined): void;
  /** A setting of all processes. */
  setting(variable: string): string;
  readonly urls: Readonly<Record<SystemName, string>>;
  databaseUrl(system: SystemName): string;
  /** A request with the API key, which has every scope. Throws if it is refused. */
  call(system: SystemName, method: string, path: string, body?: object): Promise<unknown>;
  /** The values of a query of Prometheus, each with its labels. */
  query(expr: string): Promise<Sample[]>;
  /** What was answered with 2xx: the users of grants, and the ids of orders. */
  readonly answered: { readonly grants: Set<string>; readonly orders: Set<string> };
  /** How many times faster than usual the rules are. */
  readonly factor: number;
  close(): Promise<void>;
}

export interface StageOptions {
  readonly settings?: Readonly<Record<string, string>>;
  readonly apart?: readonly SystemName[];
  /** 1: the rules as they are. */
  readonly factor: number;
}

const together = "kenri";

export async function openStage({ settings = {}, apart = [], factor }: StageOptions): Promise<Stage> {
  const dir = scratchFolder();
  const undo: (() => Promise<void> | void)[] = [() => void forgetStack(dir)];
  let closing: Promise<void> | undefined;
  const closeAll = async () => {
    for (const step of undo.reverse()) await step();
  };
  const close = () => {
    closing ??= closeAll();
    return closing;
  };
  try {
    return await open();
  } catch (error) {
    await close();
    throw error;
  }

  async function open(): Promise<Stage> {
    // Not the variables of the caller: they may name a real broker or real databases.
    const environment = { PATH: process.env.PATH, HOME: process.env.HOME, ...settings };
    const servers = await startStack({ dir, servers: serverNames, environment, usualPorts: false });
    undo.push(() => servers.stop());
    const databases = await ensureDatabases(servers.postgres.adminUrl, join(dir, "databases.json"), storing);
    const options = { dir, say: () => {}, databases, servers, onGiveUp: () => {}, environment, usualPorts: false };
    const place = await kenriPlace(options);
    const shared = devSystems.map(({ name }) => name).filter(name => !apart.includes(name));
    const plan = [{ name: together, systems: shared }, ...apart.map(name => ({ name, systems: [name] }))];
    const parts = new Map(
      plan.map(part => {
        const env = { ...place.env };
        return [part.name, { env, process: kenriProcess(options, { ...place, env }, part) }] as const;
      }),
    );
    const partOf = (system: SystemName) => parts.get(apart.includes(system) ? system : together)!;
    for (const { process } of parts.values()) undo.push(process.stop);
    // One waits for the keys of the others only when it is called.
    await Promise.all([...parts.values()].map(({ process }) => process.start()));
    const prometheus = await preparePrometheus({
      ...{ dir, say: () => {}, watchdog: servers.watchdog, onGiveUp: () => {}, healthUrls: place.healthUrls },
      url: await choosePrometheusUrl(dir, false),
      every: factor === 1 ? 5 : 1,
      ruleFiles: factor === 1 ? ruleFiles : writeFasterRules(dir, factor),
    });
    undo.push(prometheus.process.stop);
    const [key] = await Promise.all([
      ensureApiKey({ ...place, process: partOf("gateway").process }, undefined),
      prometheus.process.start(),
    ]);

    return {
      servers,
      kenri: system => partOf(system).process,
      set(system, variable, value) {
        partOf(system).env[variable] = value ?? place.env[variable];
      },
      setting: variable => place.env[variable] ?? "",
      urls: place.urls,
      databaseUrl: system => place.env[`${prefixOf(system)}_DATABASE_URL`]!,
      call: (system, method, path, body) => request(`${place.urls[system]}${path}`, key, method, body),
      query: expr => queryPrometheus(prometheus.url, expr),
      answered: { grants: new Set(), orders: new Set() },
      factor,
      close,
    };
  }
}

async function request(url: string, key: string, method: string, body?: object): Promise<unknown> {
  const answer = await fetch(url, {
    method,
    headers: { authorization: `Bearer ${key}`, "content-type": "application/json", "idempotency-key": crypto.randomUUID() },
    ...(body && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(30_000),
  });
  if (!answer.ok) throw new Error(`${method} ${url}: ${answer.status} ${await answer.text()}`);
  return answer.json();
}

/** Returns the files. */
function writeFasterRules(dir: string, factor: number): string[] {
  return ruleFiles.map(file => {
    const written = join(dir, basename(file));
    writeFileSync(written, fasterRules(readFileSync(file, "utf8"), factor));
    return written;
  });
}
