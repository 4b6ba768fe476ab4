import { afterEach, beforeEach, expect, setDefaultTimeout, test } from "bun:test";
import { cp, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { verify } from "./verify.ts";

const repository = resolve(import.meta.dir, "..");
const schema = "proto/kenri/entitlement/v1/entitlement_event.proto";
const generated = "server/gen/kenri/entitlement/v1/entitlement_event_pb.ts";
let copy: string;

// Each verify starts buf four times, a second in all on an idle machine.
setDefaultTimeout(30_000);

beforeEach(async () => {
  copy = await mkdtemp(join(tmpdir(), "kenri-proto-copy-"));
  for (const part of ["buf.yaml", "buf.gen.yaml", "proto", "server/gen"]) {
    await cp(join(repository, part), join(copy, part), { recursive: true });
  }
});

afterEach(() => rm(copy, { recursive: true, force: true }));

async function edit(file: string, from: string | RegExp, to: string): Promise<void> {
  const before = await Bun.file(join(copy, file)).text();
  const after = before.replace(from, to);
  expect(after).not.toBe(before);
  await Bun.write(join(copy, file), after);
}

const checks = async () => (await verify(copy)).map(problem => problem.check);

test("the committed schema passes", async () => {
  expect(await verify(repository)).toEqual([]);
});

test("a removed field is a breaking change", async () => {
  await edit(schema, /\n.*string trace_id = 9;/, "");
  expect(await checks()).toEqual(["drift", "breaking"]);
});

test("a field with another type is a breaking change", async () => {
  await edit(schema, "int64 version = 8;", "string version = 8;");
  expect(await checks()).toContain("breaking");
});

test("a generated file that was edited, deleted or left over is drift", async () => {
  await edit(generated, "eventId: string;", "eventId: number;");
  await Bun.write(join(copy, "server/gen/kenri/gone_pb.ts"), "export {};\n");
  expect((await verify(copy)).map(problem => problem.detail)).toEqual([
    `${generated} is not what the schema generates: run buf generate`,
    "server/gen/kenri/gone_pb.ts is generated from nothing: run buf generate",
  ]);
  await rm(join(copy, "server/gen"), { recursive: true });
  expect((await verify(copy)).map(problem => problem.detail)).toEqual(
    [generated, "server/gen/kenri/matchmaking/v1/match_event_pb.ts"].map(file => `${file} is missing: run buf generate`),
  );
});

test("an added field is not breaking, but must be added to the baseline", async () => {
  await edit(schema, "string trace_id = 9;", "string trace_id = 9;\n\n  // New.\n  string added = 10;");
  expect(await checks()).toEqual(["drift", "baseline"]);
});

test("a name against the rules is a lint error", async () => {
  await edit(schema, "string user_id", "string userID");
  expect(await checks()).toEqual(["lint"]);
});
