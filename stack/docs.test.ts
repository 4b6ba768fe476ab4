import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkout } from "./checkout.ts";

const read = (file: string) => readFileSync(join(checkout, file), "utf8");
const documents = new Map(
  [...readdirSync(checkout), ...readdirSync(join(checkout, "docs")).map(name => `docs/${name}`)]
    .filter(name => name.endsWith(".md"))
    .map(name => [name, read(name)] as const),
);

const folders = ["server", "sql", "admin-ui/src", "stack", "e2e", "bench", "proto", "patches", "ops", "docs", ".ci", ".github"];
const files = folders.flatMap(folder =>
  readdirSync(join(checkout, folder), { recursive: true, encoding: "utf8" }).map(name => `${folder}/${name}`),
);
const fileNames = new Set(files.map(file => file.split("/").at(-1)!));
const isSource = (file: string) => /\.(ts|tsx|sql|lua|conf)$/.test(file) && file !== "stack/docs.test.ts";
// The generated list has the settings whose names are made of the system's and the role's.
const source = [...files.filter(isSource), "compose.yaml", "docs/configuration.md"].map(read).join("\n");
const scripts = Object.keys((JSON.parse(read("package.json")) as { scripts: object }).scripts);

const all = (text: string, pattern: RegExp) => [...text.matchAll(pattern)].map(([whole, group]) => group ?? whole);
const withoutBlocks = (text: string) => text.replace(/^```.*?^```$/gms, "");
/** As the host of a repository names the anchor of a heading. */
const anchorOf = (heading: string) =>
  heading
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
const anchorsOf = (text: string) => all(withoutBlocks(text), /^#+ (.+)$/gm).map(anchorOf);

/** The changelog names there what is no longer in the code. */
const removedSection = /^### Removed$[\s\S]*?(?=^##)/m;

/** Each rule returns what is wrong in a document. */
const rules: [says: string, wrongIn: (text: string, file: string) => string[], broken: string][] = [
  [
    "every relative link leads to a file, and to a heading of it",
    (text, file) =>
      all(withoutBlocks(text), /\]\((?!https?:)([^)\s]+)\)/g).filter(link => {
        const [path = "", anchor] = link.split("#");
        const target = path === "" ? file : join(dirname(file), path);
        if (!existsSync(join(checkout, target))) return true;
        return anchor !== undefined && !anchorsOf(read(target)).includes(anchor);
      }),
    "[a](docs/nothing.md), [b](README.md#nothing)",
  ],
  [
    "every path in the checkout exists",
    text =>
      all(
        text,
        /(?<![\w/.$-])(?:server|sql|admin-ui|stack|e2e|bench|proto|patches|ops|docs|\.ci|\.github)\/[\w./@-]*[\w/](?![\w<{*…])/g,
      ).filter(path => !existsSync(join(checkout, path))),
    "`server/nothing.ts`, `sql/nothing/`",
  ],
  [
    "every source file that is named without its folder exists",
    text => all(text, /`([\w.]+\.(?:tsx?|sql|lua|proto))`/g).filter(name => !fileNames.has(name) && !existsSync(join(checkout, name))),
    "`nothing.ts`, `nothing.sql`",
  ],
  [
    "every script is in package.json",
    text => all(text, /\bbun run ([\w:]+)/g).filter(name => !scripts.includes(name)),
    "`npx bun run nothing`, `bun run neither`",
  ],
  [
    "every setting, error code and metric is in the code",
    whole => {
      const text = whole.replace(removedSection, "");
      return [...all(text, /`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)[=`]/g), ...all(text, /`kenri_(\w+?)(?:_total|_seconds)?[{`]/g)].filter(
        name => !source.includes(name) && !source.includes(name.replace(/^[A-Z]+/, "}")),
      );
    },
    "`NO_SUCH_SETTING`, `kenri_never_counted_total{reason}`",
  ],
  [
    "every alert is in the rules",
    text => all(text, /`(Kenri[A-Z]\w+)`/g).filter(name => !read("ops/prometheus/alerts.rules.yml").includes(`alert: ${name}\n`)),
    "`KenriNothing`, `KenriNeither`",
  ],
  ["the words are those of the field", text => all(text, /taken in|put back|waits? for somebody/gi), "events taken in, rows put back"],
];

describe.each(rules)("%s", (_, wrongIn, broken) => {
  test.each([...documents])("in %s", (file, text) => expect(wrongIn(text, file)).toEqual([]));
  test("or it is noticed", () => expect(wrongIn(broken, "README.md")).toHaveLength(2));
});

test("the architecture fits 1,500 words, its diagrams included", () => {
  const words = documents.get("docs/architecture.md")!.match(/\S*[\p{L}\p{N}]\S*/gu)!;
  expect(words.length).toBeLessThanOrEqual(1500);
});
