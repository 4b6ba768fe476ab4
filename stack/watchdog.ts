import { spawn } from "node:child_process";

export interface Watchdog {
  readonly pid: number | undefined;
  guard(pid: number): void;
  release(pid: number): void;
  close(): void;
}

// Each line of its input is the whole list of process groups. The input ends when this process ends, even by kill -9; then it ends the groups.
// Every sh supports `kill -s` with a group. SIGINT is PostgreSQL's fast shutdown, and ends NATS and Kenri too. A stopped process reacts only to SIGKILL.
const script = `
trap '' HUP INT TERM
groups=
while read -r line; do groups=$line; done
[ -z "$groups" ] && exit 0
for group in $groups; do kill -s CONT -- "-$group"; kill -s INT -- "-$group"; done 2>/dev/null
for turn in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  left=
  for group in $groups; do kill -s 0 -- "-$group" 2>/dev/null && left=yes; done
  [ -z "$left" ] && exit 0
  sleep 0.25
done
for group in $groups; do kill -s KILL -- "-$group"; done 2>/dev/null
`;

/** A shell that ends the servers when this process ends, even by kill -9. */
export function startWatchdog(): Watchdog {
  const shell = spawn("sh", ["-c", script], { detached: true, cwd: "/", stdio: ["pipe", "ignore", "ignore"] });
  const guarded = new Set<number>();
  const tell = () => {
    if (!shell.stdin.destroyed) shell.stdin.write(`${[...guarded].join(" ")}\n`);
  };
  shell.stdin.on("error", () => {});
  shell.on("error", () => {});
  shell.unref();
  return {
    pid: shell.pid,
    guard(pid) {
      guarded.add(pid);
      tell();
    },
    release(pid) {
      if (guarded.delete(pid)) tell();
    },
    close() {
      shell.stdin.end();
    },
  };
}
