/**
 * Injected faults, for tests and rehearsals; all off by default and refused in production.
 * At a named point of the code a process can kill itself (`kill`) or stop itself (`stop`).
 */
export interface Faults {
  at(point: string): void;
  /** Users whose sends and publishes fail; empty = nobody. */
  failUsersWith: string;
  strikes(userId: string): boolean;
  /** The work of this role stands still: `pass` never returns. */
  isStuck: boolean;
  pass(): Promise<void>;
}

export function faults(
  options: { killAt?: string | undefined; stopAt?: string | undefined; failUsersWith?: string | undefined; isStuck?: boolean } = {},
): Faults {
  let hung = false;
  return {
    failUsersWith: options.failUsersWith ?? "",
    isStuck: options.isStuck ?? false,
    async pass() {
      if (this.isStuck) await new Promise<never>(() => {});
    },
    at(point) {
      if (point === options.killAt) process.kill(process.pid, "SIGKILL");
      if (point === options.stopAt && !hung) {
        hung = true;
        process.kill(process.pid, "SIGSTOP");
      }
    },
    strikes(userId) {
      return this.failUsersWith !== "" && userId.startsWith(this.failUsersWith);
    },
  };
}
