import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { checkout } from "./checkout.ts";
import { isAsShown, readme, snippetsIn } from "./readme.ts";

test("shell blocks are found with the output that follows them", () => {
  const text = "# A\n\n```sh\na\nb\n```\n\nand\n\n```text\n1\n2\n```\n\n```sh\nc\n```\n\n```json\n{}\n```\n";
  expect(snippetsIn(text)).toEqual([
    { commands: "a\nb\n", answers: ["1", "2"] },
    { commands: "c\n", answers: [] },
  ]);
});

test("an output is as shown if only ids, times and omitted parts differ", () => {
  const shown = '{"id":"01a1e8ef-c09e-7654-85ae-d487fb7ee3ac",…"status":"SENT","at":"2026-11-17T09:56:28.946975Z"}';
  const answer = '{"id":"01a1ffff-c09e-7654-85ae-d487fb7ee3ac","n":1,"status":"SENT","at":"2027-01-01T00:00:00Z"}';
  expect(isAsShown(answer, shown)).toBe(true);
  expect(isAsShown(answer.replace("SENT", "PROCESSING"), shown)).toBe(false);
  expect(isAsShown(`${answer} `, shown)).toBe(false);
});

test("the output of every curl command ends with a line break or goes into a variable", () => {
  const lines = snippetsIn(readme()).flatMap(({ commands }) => commands.split("\n").filter(line => line.includes("curl ")));
  expect(lines.length).toBeGreaterThan(8);
  for (const line of lines) expect(line).toMatch(/curl -sS -w '\\n' |=\$\(curl -sS /);
});

test("the deployment begins with the command that sets every required variable of compose.yaml, and lists the published ports", () => {
  const compose = readFileSync(join(checkout, "compose.yaml"), "utf8");
  const deploy = snippetsIn(readme()).find(({ commands }) => commands.includes("docker compose"))!.commands;
  const [first = ""] = deploy.split("\n");
  expect(first).toBe("npx bun stack/compose_env.ts");
  expect(compose).toContain(first);
  const published = [...compose.matchAll(/"127\.0\.0\.1:(\d+):\d+"/g)].map(([, port]) => port!);
  expect(published.filter(port => !readme().includes(port))).toEqual([]);
});
