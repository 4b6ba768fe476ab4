/**
 * Faults on purpose, for tests and rehearsals; all off by default and refused in production.
 * A named point in the code is where a process can be made to die (`kill`) or to hang (`stop`) exactly there.
 */
export interface Faults {
  at(point: string): void;
  /** Users whose sends and publishes fail; empty = nobody. */
  failUsersWith: string;
  strikes(userId: string): boolean;
  /** The work of this role stands still: what passes here never comes back. */
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
