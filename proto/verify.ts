// `bun proto/verify.ts` checks the schema in proto/ and its generated code. It works offline with the packages in node_modules.
//
//   lint      buf's STANDARD rules
//   drift     server/gen is exactly what `buf generate` writes
//   breaking  no change breaks a reader or writer of the schema in proto/baseline.binpb
//   baseline  everything in the schema is also in the baseline, so that it is protected
//
// The baseline is updated by hand, in the commit that changes the schema and gives the reason:
//
//   bunx buf build --exclude-source-info -o proto/baseline.binpb
//
// After an addition this is routine. After a *breaking* change it is a decision: events of the old shape are still in streams,
// outboxes and dead letters, and other processes may run older code. Reserve the field or start a package v2 instead.
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";

const repository = resolve(import.meta.dir, "..");
const binaries = join(repository, "node_modules", ".bin");

export type Problem = { check: "lint" | "drift" | "breaking" | "baseline"; detail: string };

/** Every problem of the schema under `root` (which holds buf.yaml, proto/ and server/gen); none means it is fine. */
export async function verify(root = repository): Promise<Problem[]> {
  const baseline = join("proto", "baseline.binpb");
  const lint = await buf(root, "lint");
  if (!lint.ok) return [{ check: "lint", detail: lint.output }];

  const problems: Problem[] = (await drift(root)).map(detail => ({ check: "drift", detail }));
  const breaking = await buf(root, "breaking", "--against", baseline);
  if (!breaking.ok) return [...problems, { check: "breaking", detail: breaking.output }];

  // With the arguments swapped an addition is reported as a deletion: the baseline lacks it.
  const unprotected = await buf(root, "breaking", baseline, "--against", ".");
  if (!unprotected.ok) problems.push({ check: "baseline", detail: `new in the schema, not yet in ${baseline}:\n${unprotected.output}` });
  return problems;
}

async function drift(root: string): Promise<string[]> {
  const fresh = await mkdtemp(join(tmpdir(), "kenri-proto-"));
  try {
    const generate = await buf(root, "generate", "--output", fresh);
    if (!generate.ok) return [generate.output];
    const [wanted, found] = await Promise.all([contents(join(fresh, "server", "gen")), contents(join(root, "server", "gen"))]);
    return [...new Set([...wanted.keys(), ...found.keys()])].sort().flatMap(file => {
      if (wanted.get(file) === found.get(file)) return [];
      const why = !found.has(file) ? "is missing" : !wanted.has(file) ? "is generated from nothing" : "is not what the schema generates";
      return [`server/gen/${file} ${why}: run buf generate`];
    });
  } finally {
    await rm(fresh, { recursive: true, force: true });
  }
}

async function contents(directory: string): Promise<Map<string, string>> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true }).catch(() => []);
  const files = entries.filter(entry => entry.isFile()).map(entry => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(files.map(async file => [file.slice(directory.length + 1), await Bun.file(file).text()] as const)));
}

async function buf(root: string, ...args: string[]): Promise<{ ok: boolean; output: string }> {
  const PATH = [binaries, process.env.PATH].join(delimiter);
  const child = Bun.spawn([join(binaries, "buf"), ...args], { cwd: root, env: { ...process.env, PATH }, stdout: "pipe", stderr: "pipe" });
  const [stdout, stderr, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
  return { ok: code === 0, output: (stdout + stderr).trim() || `buf ${args[0]} ended with ${code}` };
}

if (import.meta.main) {
  const problems = await verify();
  for (const { check, detail } of problems) console.error(`proto ${check}: ${detail}`);
  if (problems.length > 0) process.exit(1);
  console.log("proto: lint, generated code, compatibility and baseline are in order");
}
