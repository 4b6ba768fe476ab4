import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run, runOrFail } from "./command.ts";

export interface PackageWish {
  /** Its name in Debian and Ubuntu. */
  name: string;
  /** Its name in messages. */
  title: string;
  /** The folder for `usr/`, `etc/` … of the package and of its dependencies that this machine lacks. */
  target: string;
  say: (line: string) => void;
}

/** Unpacks a package of Debian or Ubuntu, as any user, without touching the lists, caches or packages of the machine. */
export async function unpackPackage({ name, title, target, say }: PackageWish): Promise<void> {
  const known = await run(["apt-config", "dump"]);
  if (known.code !== 0) throw new Error("the distribution's package: there is no apt here");
  mkdirSync(dirname(target), { recursive: true });
  const work = mkdtempSync(join(dirname(target), "apt-"));
  try {
    const env = { ...process.env, APT_CONFIG: writeConfig(work, known.output), DEBIAN_FRONTEND: "noninteractive" };
    const fetchOnce = async () => {
      say(`${title}: reading the distribution's package lists (apt-get update, private copy)`);
      await runOrFail("apt-get update", ["apt-get", "update"], { env, cwd: work, within: 120_000 });
      say(`${title}: downloading the package ${name}`);
      // `install` resolves the missing dependencies; `--download-only` keeps it from installing anything.
      const download = ["apt-get", "install", "--download-only", "--reinstall", "--no-install-recommends", "--yes", name];
      await runOrFail(`apt-get download of ${name}`, download, { env, cwd: work, within: 300_000 });
    };
    await fetchOnce().catch(fetchOnce); // a mirror may fail once
    const root = join(work, "root");
    for (const file of downloaded(work)) await runOrFail(`unpacking ${name}`, ["dpkg", "-x", file, root]);
    putInPlace(root, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** The folders of the unpacked libraries, for LD_LIBRARY_PATH. */
export function libraryPath(root: string): string {
  const files = readdirSync(root, { recursive: true, encoding: "utf8" }).filter(file => /(^|\/)lib[^/]*\.so(\.[^/]*)?$/.test(file));
  return [...new Set(files.map(file => join(root, dirname(file))))].join(":");
}

function downloaded(work: string): string[] {
  const archives = join(work, "cache", "archives");
  const files = readdirSync(archives).filter(file => file.endsWith(".deb"));
  // The C library must be the one of the machine's loader, so it is left out.
  return files.filter(file => !/^libc6_/.test(file)).map(file => join(archives, file));
}

/** Rename is atomic: of two parallel starts, each moves a whole folder, and the first one stays. */
function putInPlace(root: string, target: string): void {
  try {
    renameSync(root, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ENOTEMPTY") throw error;
  }
}

/**
 * The machine's apt configuration (it has the proxies and certificates of the mirrors) with other folders,
 * and without its hooks, which would change the machine's caches.
 */
function writeConfig(work: string, known: string): string {
  for (const folder of ["lists/partial", "cache/archives/partial", "state"]) mkdirSync(join(work, folder), { recursive: true });
  const kept = known.split("\n").filter(line => !/^(APT::Update|DPkg)::(Pre|Post)-/i.test(line) && !/^Dir::(State|Cache)/.test(line));
  const ours = {
    "Dir::State": join(work, "state"),
    "Dir::State::lists": join(work, "lists"),
    "Dir::State::status": "/var/lib/dpkg/status",
    "Dir::Cache": join(work, "cache"),
    "Dir::Etc::Parts": "/dev/null",
    "Dir::Etc::main": "/dev/null",
    // The lock is the machine's. Nothing is installed, so no lock is needed.
    "Debug::NoLocking": "true",
    // As root, apt switches to a user that may have no access to this folder.
    "APT::Sandbox::User": "root",
    "Acquire::Languages": "none",
    "Acquire::Retries": "2",
    "Acquire::http::Timeout": "20",
    "Acquire::https::Timeout": "20",
  };
  const file = join(work, "apt.conf");
  writeFileSync(file, [...kept, ...Object.entries(ours).map(([name, value]) => `${name} "${value}";`), ""].join("\n"));
  return file;
}
