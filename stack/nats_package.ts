import { chmodSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { run, runOrFail } from "./command.ts";

/** Debian's or Ubuntu's package, unpacked as any user without touching the system's lists, caches or packages. */
export async function fetchNatsPackage(target: string, say: (line: string) => void): Promise<void> {
  const known = await run(["apt-config", "dump"]);
  if (known.code !== 0) throw new Error("the distribution's package: there is no apt here");
  mkdirSync(dirname(target), { recursive: true });
  const work = mkdtempSync(join(dirname(target), "apt-"));
  try {
    const env = { ...process.env, APT_CONFIG: writeConfig(work, known.output), DEBIAN_FRONTEND: "noninteractive" };
    const fetchOnce = async () => {
      say("NATS: reading the distribution's package lists (apt-get update, private copy)");
      await runOrFail("apt-get update", ["apt-get", "update"], { env, cwd: work, within: 120_000 });
      say("NATS: downloading the package nats-server");
      await runOrFail("apt-get download nats-server", ["apt-get", "download", "nats-server"], { env, cwd: work, within: 120_000 });
    };
    await fetchOnce().catch(fetchOnce); // mirrors hiccup: once more
    const deb = readdirSync(work).find(name => name.endsWith(".deb")) ?? "";
    await runOrFail("unpacking nats-server", ["dpkg", "-x", join(work, deb), join(work, "root")]);
    const binary = ["usr/sbin/nats-server", "usr/bin/nats-server"].map(path => join(work, "root", path));
    moveFirst(binary, target);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/**
 * The system's own apt configuration (mirrors' proxies and certificates matter) with other folders,
 * and without its hooks, which would act on the system's caches.
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
    // apt as root would drop to a user who may not be allowed into this folder.
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

/** Rename is atomic: two starts at once each put a whole file there. */
function moveFirst(candidates: string[], target: string): void {
  for (const candidate of candidates) {
    try {
      chmodSync(candidate, 0o755);
      renameSync(candidate, target);
      return;
    } catch {
      // the other place
    }
  }
  throw new Error("the distribution's package holds no nats-server");
}
