import { AggregatorRegistry, Counter, Gauge, Histogram, Registry } from "prom-client";

export type Metrics = ReturnType<typeof createMetrics>;
export type Snapshot = Awaited<ReturnType<Registry["getMetricsAsJSON"]>>;

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

/** Further buckets, for what waits while a broker or a database is away. */
export const minuteBuckets = [120, 300, 600, 1800, 3600];

const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0);

/** The connections of a pool: how many there may be, how many statements use one, and how many wait for one. */
export interface PoolUse {
  readonly max: number;
  readonly underWay: () => number;
  readonly waiting: () => number;
}

/** The kernel's metrics, and functions that add more. Each thread has a set; workers send theirs to the parent thread as snapshots. */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter({ name: `kenri_${name}`, help, labelNames, registers });
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[] = [], aggregator: "sum" | "max" = "max") =>
    new Gauge({ name: `kenri_${name}`, help, labelNames, registers, aggregator });
  const histogram = <L extends string>(name: string, help: string, labelNames: readonly L[] = [], longer: readonly number[] = []) =>
    new Histogram({ name: `kenri_${name}`, help, labelNames, buckets: [...seconds, ...longer], registers });
  const pools = new Map<string, PoolUse[]>();
  /** Reads the use of the pools whenever the metrics are read. */
  const showPools = (pool: Gauge<"pool">, of: (uses: readonly PoolUse[]) => number) =>
    Object.assign(pool, {
      collect() {
        for (const [name, uses] of pools) pool.set({ pool: name }, of(uses));
      },
    });
  showPools(gauge("pool_connections_max", "Connections that a pool may use at once.", ["pool"]), uses =>
    Math.max(...uses.map(({ max }) => max)),
  );
  showPools(gauge("pool_connections_used", "Connections of a pool that a statement uses now.", ["pool"]), uses =>
    sum(uses.map(({ underWay }) => underWay())),
  );
  showPools(gauge("pool_waiting", "Statements that wait for a connection of their pool.", ["pool"]), uses =>
    sum(uses.map(({ waiting }) => waiting())),
  );
  return {
    registry,
    /** Shows the use of a pool from now on. It is read when the metrics are. */
    watchPool: (pool: string, use: PoolUse) => void pools.set(pool, [...(pools.get(pool) ?? []), use]),
    counter,
    gauge,
    histogram,
    loopRuns: counter("loop_runs_total", "Runs of a worker's loop.", ["loop", "outcome"]),
    statementSeconds: histogram("sql_seconds", "Time of a SQL statement, by the file's name.", ["statement"]),
    httpSeconds: histogram("http_request_seconds", "Time of an HTTP request.", ["method", "route", "status"]),
    consumerMessages: gauge("consumer_messages", "Messages that a durable consumer has left, by state.", ["consumer", "state"]),
    breakerOpen: gauge("breaker_open", "1 while a circuit breaker is open and nothing is tried.", ["breaker"]),
    workerRestarts: counter("worker_restarts_total", "Workers that ended unasked and were started again.", ["role"]),
    workerStuck: counter("worker_stuck_total", "Workers that ended themselves: work was due, what it needs answered, nothing was done.", [
      "role",
    ]),
    eventLoopLag: gauge("event_loop_lag_seconds", "How late a timer of this thread fires.", ["thread"]),
    residentMemory: gauge("process_resident_memory_bytes", "Resident memory of the process."),
  };
}

/**
 * The metrics of a process's workers. Live workers are asked for a snapshot; the latest one counts. When a worker ends, its counters and histograms are kept and
 * its gauges dropped, so that a restart never lowers a counter.
 */
export function workerMetrics() {
  const live = new Map<string, Snapshot>();
  const questions = new Map<string, () => Promise<void>>();
  const ended: Snapshot[] = [];
  return {
    /** A worker has started. `ask` makes it send a snapshot, and waits for it for a moment. */
    add: (worker: string, ask: () => Promise<void>) => void questions.set(worker, ask),
    update: (worker: string, snapshot: Snapshot) => void live.set(worker, snapshot),
    end(worker: string) {
      questions.delete(worker);
      const last = live.get(worker);
      live.delete(worker);
      if (!last) return;
      ended.push(last.filter(metric => String(metric.type) !== "gauge"));
      if (ended.length > 1) ended.splice(0, ended.length, mergeSnapshots(ended));
    },
    async text(own: Registry): Promise<string> {
      await Promise.all(questions.values().map(ask => ask()));
      return AggregatorRegistry.aggregate([await own.getMetricsAsJSON(), ...ended, ...live.values()] as object[]).metrics();
    },
  };
}

/** Adds up snapshots of counters and histograms, value by value. */
export function mergeSnapshots(snapshots: Snapshot[]): Snapshot {
  const merged = new Map<string, Snapshot[number]>();
  for (const metric of snapshots.flat()) {
    const before = merged.get(metric.name);
    if (!before) {
      merged.set(metric.name, { ...metric, values: metric.values.map(value => ({ ...value })) } as Snapshot[number]);
      continue;
    }
    const key = (value: { labels: object; metricName?: string }) =>
      `${value.metricName ?? ""}${JSON.stringify(Object.entries(value.labels).sort())}`;
    const known = new Map(before.values.map(value => [key(value as never), value]));
    for (const value of metric.values) {
      const same = known.get(key(value as never));
      if (same) same.value += value.value;
      else (before.values as unknown[]).push({ ...value });
    }
  }
  return [...merged.values()];
}
