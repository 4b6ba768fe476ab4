import { Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import type { ReportedWorker, WorkerReport } from "../kernel/operator/worker_reports.ts";
import { type Redis, readScript } from "../kernel/redis/redis.ts";

const folder = new URL("./scripts/", import.meta.url);
const [report, list] = [readScript(new URL("report.lua", folder)), readScript(new URL("workers.lua", folder))];
export const workerScripts = [report, list] as const;

const Report = TypeCompiler.Compile(
  Type.Object({
    role: Type.String(),
    version: Type.String(),
    parts: Type.Record(Type.String(), Type.Union([Type.String(), Type.Null()])),
  }),
);

/** The reports of the workers, in Redis: matchmaking has no database. */
export function workerRecords(redis: Redis, prefix: string) {
  const key = `${prefix}:workers`;
  return {
    report: ({ worker, ...told }: WorkerReport) => redis.run(report, [key], [worker, JSON.stringify(told)]),
    async list(): Promise<ReportedWorker[]> {
      const [now, ...fields] = await redis.run<[number, ...string[]]>(list, [key], []);
      const found = Array.from({ length: fields.length / 2 }, (_, n) => readRecord(now, fields[2 * n]!, fields[2 * n + 1]!));
      return found.filter(one => one !== undefined).sort((a, b) => a.age_seconds - b.age_seconds);
    },
  };
}

/** Undefined for what no worker has written. */
function readRecord(now: number, worker: string, text: string): ReportedWorker | undefined {
  const [, seen, started, json = ""] = /^(\d+) (\d+) (.*)$/s.exec(text) ?? [];
  const told = parsed(json);
  if (!Report.Check(told)) return undefined;
  return { worker, ...told, started_at: new Date(Number(started)).toISOString(), age_seconds: Math.max(0, now - Number(seen)) / 1000 };
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
