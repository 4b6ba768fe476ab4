import { withTimeout } from "./deadline.ts";
import type { Pause } from "./health.ts";
import { loop } from "./loop.ts";
import { type RoleChannel, type RoleContext, roleChannel, subscribeRole } from "./role.ts";
import { type Service, sequence, service } from "./service.ts";

export interface PausesOptions {
  /** The roles that matter here. All of one system. */
  readonly roles: readonly string[];
  /** Reads the paused roles of the system from its store. */
  readonly read: () => Promise<readonly Pause[]>;
  readonly context: Pick<RoleContext, "log" | "metrics" | "health" | "faults">;
}

/** Which roles are paused. A paused role starts no new work; work under way ends normally. */
export interface Pauses extends Service {
  /** Asked before each piece of work. True also until the store has answered for the first time: a restart does not end a pause. */
  isPaused(role: string): boolean;
  /** The pauses as they were last read. */
  current(): readonly Pause[];
  /** Calls back after a role was paused or resumed, and after the first answer. */
  onChange(changed: () => void): void;
  /** The stored state was changed here: reads it, and makes the other threads of this process read it. */
  changed(): Promise<void>;
}

const readEvery = 3000;
const stopWithin = 100;

/**
 * Follows the paused roles of a system: by polling, and at once if its API in the same process changes them. If the store does not answer, the last
 * answer counts. Nothing else sets or clears a pause here, so no error can leave one behind.
 */
export function rolePauses({ roles, read, context }: PausesOptions): Pauses {
  const { log, metrics, health, faults } = context;
  const gauge = metrics.gauge("paused", "1 while operators have paused a role, 0 while it works.", ["role"]);
  const channelName = `${roles[0]?.split(":")[0]}:pauses`;
  const listeners: (() => void)[] = [];
  let known: ReadonlyMap<string, Pause> | undefined;
  let [begun, applied] = [0, 0];
  let others: RoleChannel | undefined;

  async function look(): Promise<void> {
    const turn = ++begun;
    const stored = await read();
    // A read that began later has already been applied.
    if (turn < applied) return;
    applied = turn;
    apply(new Map(stored.filter(({ role }) => roles.includes(role)).map(pause => [pause.role, pause])));
  }

  function apply(now: ReadonlyMap<string, Pause>): void {
    const before = known;
    known = now;
    health.pauses = [...now.values()];
    for (const role of roles) {
      gauge.set({ role }, now.has(role) ? 1 : 0);
      const [was, is] = [before?.get(role), now.get(role)];
      // Without the reason: people write names and addresses into it, and logs cannot be erased.
      if (is && !was) log.warn({ paused: role, paused_by: is.paused_by, paused_at: is.paused_at }, "role.paused");
      if (was && !is) log.info({ resumed: role }, "role.resumed");
    }
    if (!before || roles.some(role => before.has(role) !== now.has(role))) for (const changed of listeners) changed();
  }

  const polling = loop({
    name: "pauses",
    async runOnce() {
      await look();
      return 0;
    },
    full: Number.POSITIVE_INFINITY,
    interval: readEvery,
    log,
    metrics,
  });
  // A store that hangs must not delay the stop: nobody needs the last answer.
  const reading = service({
    start: polling.start,
    stop: () => withTimeout(stopWithin, "the last read of pauses", polling.stop()).catch(() => {}),
  });
  const closing = service({ start: async () => {}, stop: async () => others?.close() });
  return {
    ...sequence([closing, subscribeRole({ role: channelName, faults }, polling.wake), reading]),
    isPaused: role => known?.has(role) ?? true,
    current: () => [...(known?.values() ?? [])],
    onChange: changed => void listeners.push(changed),
    async changed() {
      others ??= roleChannel(channelName);
      others.wake();
      await look();
    },
  };
}
