import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { endLeftover, forgetPid, rememberPid } from "./leftover.ts";
import { signal } from "./process_table.ts";
import { lastLines, logSize, openLog } from "./server_log.ts";
import { becomes } from "./wait.ts";
import type { Watchdog } from "./watchdog.ts";

export interface ServerSpec {
  name: string;
  /** The folder of logs/<name>.log and <name>.pid. */
  dir: string;
  command: readonly string[];
  env?: Record<string, string | undefined>;
  /** "/" by default: the server's user may have no access to ours. */
  cwd?: string;
  user?: { uid: number; gid: number };
  /** Throws or returns false while the server is not ready. */
  ready: () => Promise<boolean>;
  readyWithin?: number;
  stopSignal?: NodeJS.Signals;
  stopWithin?: number;
  /** Called before each start and restart: deletes what a dead predecessor left. */
  prepare?: () => Promise<void>;
  /** Processes of the server outside its process group. */
  family?: () => number[];
  watchdog?: Watchdog;
  /** Called when it has died and is not restarted any more. */
  onGiveUp?: (error: Error) => void;
  /** One line for the terminal. */
  say?: (line: string) => void;
}

export interface ServerProcess {
  readonly name: string;
  readonly log: string;
  readonly pid: number | undefined;
  /** Whether it is restarted when it dies. */
  restart: boolean;
  start(): Promise<void>;
  stop(): Promise<void>;
  /** kill -9; it stays down until `start()`. */
  halt(): Promise<void>;
  kill(name: NodeJS.Signals): void;
  pause(): void;
  resume(): void;
}

const quickDeath = 10_000;
const quickDeathsAllowed = 5;

/** One server process in a group of its own, with a log and a readiness probe; restarted when it dies. */
export function superviseServer(spec: ServerSpec): ServerProcess {
  const log = join(spec.dir, "logs", `${spec.name}.log`);
  let child: ChildProcess | undefined;
  let wanted = false;
  let quickDeaths = 0;

  async function launch(): Promise<void> {
    await endLeftover(spec.dir, spec.name, spec.stopSignal);
    await spec.prepare?.();
    if (!wanted) throw new Error(`${spec.name} was stopped before it started`);
    const from = logSize(log);
    const started = spawnServer(spec, log);
    if (started.pid === undefined) throw new Error(`${spec.name} cannot be started: ${spec.command[0]} does not run`);
    child = started;
    const bornAt = performance.now();
    rememberPid(spec.dir, spec.name, started.pid);
    spec.watchdog?.guard(started.pid);
    started.once("exit", () => buried(started, performance.now() - bornAt));
    const readyWithin = spec.readyWithin ?? 15_000;
    const ready = await becomes(readyWithin, async () => isGone(started) || (await spec.ready().catch(() => false)), 30);
    if (ready && !isGone(started)) return;
    const trouble = isGone(started) ? `ended at start (${howEnded(started)})` : `was not ready within ${readyWithin} ms`;
    throw new Error(`${spec.name} ${trouble}. The last lines of ${log}:\n${lastLines(log, from)}`);
  }

  function buried(dead: ChildProcess, lived: number): void {
    if (dead.pid !== undefined) spec.watchdog?.release(dead.pid);
    if (child !== dead) return;
    child = undefined;
    forgetPid(spec.dir, spec.name);
    if (!wanted || !controls.restart || starting) return;
    quickDeaths = lived < quickDeath ? quickDeaths + 1 : 1;
    spec.say?.(`${spec.name} died (${howEnded(dead)}), starting it again`);
    void revive();
  }

  async function revive(): Promise<void> {
    for (; wanted && quickDeaths <= quickDeathsAllowed; quickDeaths++) {
      await Bun.sleep(50 * 2 ** quickDeaths);
      if (!wanted || child !== undefined) return;
      try {
        return await starts();
      } catch (error) {
        if (!wanted) return;
        if (quickDeaths === quickDeathsAllowed) return giveUp(error as Error);
      }
    }
    if (wanted) giveUp(new Error(`${spec.name} died ${quickDeaths} times in a row. The last lines of ${log}:\n${lastLines(log)}`));
  }

  function giveUp(error: Error): void {
    wanted = false;
    (spec.onGiveUp ?? (e => console.error(e.message)))(error);
  }

  // One start at a time: a second caller waits for it.
  let starting: Promise<void> | undefined;
  function starts(): Promise<void> {
    starting ??= launch().finally(() => {
      starting = undefined;
    });
    return starting;
  }

  async function down(name: NodeJS.Signals, within: number): Promise<void> {
    wanted = false;
    const dying = child;
    if (dying?.pid === undefined) return void (await starting?.catch(() => {}));
    const family = spec.family?.() ?? [];
    for (const pid of family) signal(pid, "SIGCONT");
    signal(-dying.pid, "SIGCONT");
    signal(-dying.pid, name);
    if (!(await becomes(within, () => isGone(dying)))) signal(-dying.pid, "SIGKILL");
    await becomes(5_000, () => child !== dying);
    for (const pid of family) signal(pid, "SIGKILL");
    await starting?.catch(() => {});
  }

  const everyone = (name: NodeJS.Signals) => {
    for (const pid of spec.family?.() ?? []) signal(pid, name);
    if (child?.pid !== undefined) signal(-child.pid, name);
  };

  const controls: ServerProcess = {
    name: spec.name,
    log,
    restart: true,
    get pid() {
      return child?.pid;
    },
    async start() {
      wanted = true;
      if (child !== undefined && starting === undefined) return;
      quickDeaths = 0;
      try {
        await starts();
      } catch (error) {
        await down("SIGKILL", 1_000);
        throw error;
      }
    },
    stop: () => down(spec.stopSignal ?? "SIGTERM", spec.stopWithin ?? 10_000),
    halt: () => down("SIGKILL", 5_000),
    kill: name => void (child?.pid !== undefined && signal(-child.pid, name)),
    pause: () => everyone("SIGSTOP"),
    resume: () => everyone("SIGCONT"),
  };
  return controls;
}

function spawnServer(spec: ServerSpec, log: string): ChildProcess {
  const [program = "", ...args] = spec.command;
  mkdirSync(spec.dir, { recursive: true });
  const fd = openLog(log);
  try {
    const child = spawn(program, args, {
      cwd: spec.cwd ?? "/",
      detached: true,
      env: spec.env ?? process.env,
      stdio: ["ignore", fd, fd],
      ...spec.user,
    });
    child.on("error", () => {}); // seen as a missing pid
    return child;
  } finally {
    closeSync(fd);
  }
}

function isGone(child: ChildProcess): boolean {
  return child.exitCode !== null || child.signalCode !== null;
}

function howEnded(child: ChildProcess): string {
  return child.signalCode ?? `exit ${child.exitCode}`;
}
