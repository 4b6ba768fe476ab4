import { expect, test } from "bun:test";
import { join } from "node:path";
import { checkout } from "./checkout.ts";
import { run } from "./command.ts";
import { scratchFolder } from "./scratch.ts";

const commands = [
  "stack/dev.ts",
  "stack/reset.ts",
  "stack/test.ts",
  "stack/screenshots.ts",
  "stack/compose_env.ts",
  "bench/main.ts",
  "ops/grafana/generate.ts",
  "server/faults/chaos.ts",
  "server/main.ts",
];
const env = { PATH: process.env.PATH, HOME: process.env.HOME, KENRI_DEV_HOME: scratchFolder() };
const bun = (file: string, argument: string) => run([process.execPath, join(checkout, file), argument], { env, cwd: checkout });

test.each(commands)("%s --help prints its usage and does nothing else", async file => {
  const { code, output } = await bun(file, "--help");
  expect([code, output]).toEqual([0, expect.stringMatching(/^usage: /)]);
});

test.each(["stack/dev.ts", "stack/reset.ts", "stack/screenshots.ts", "stack/compose_env.ts", "bench/main.ts", "ops/grafana/generate.ts"])(
  "%s refuses an option that it does not know, and does nothing",
  async file => {
    const { code, output } = await bun(file, "--hepl");
    expect([code, output]).toEqual([2, expect.stringContaining("unknown argument: --hepl")]);
  },
);
