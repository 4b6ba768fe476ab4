import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  ConfigError,
  choice,
  duration,
  flag,
  httpUrl,
  integer,
  listSettings,
  optional,
  readSettings,
  type SettingsSpec,
  secret,
  secretUrl,
  text,
} from "./config.ts";

const spec = {
  name: text("NAME", "a name", "kenri"),
  server: text("SERVER", "where it is"),
  nickname: optional(text("NICKNAME", "another name")),
  database: { url: secretUrl("DATABASE_URL", "the database"), size: integer("SIZE", "how many", 5, { minimum: 1, maximum: 10 }) },
  on: flag("ON", "whether", false),
  level: choice("LEVEL", "how loud", "info", ["info", "error"]),
  pause: duration("PAUSE", "how long", "30s", { minimum: "100ms", maximum: "7d" }),
} as const;
const enough = { SERVER: "here", DATABASE_URL: "postgres://user:hunter2@db/kenri" };

function problemsOf(environment: Record<string, string>, of: SettingsSpec = spec): string[] {
  try {
    readSettings(of, environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems;
  }
}

describe("settings", () => {
  test("have their presets, and what is optional may be absent", () => {
    expect(readSettings(spec, enough)).toEqual({
      name: "kenri",
      server: "here",
      nickname: undefined,
      database: { url: enough.DATABASE_URL, size: 5 },
      on: false,
      level: "info",
      pause: 30_000,
    });
  });

  test("are read from the environment; an empty variable is an absent one", () => {
    expect(readSettings(spec, { ...enough, NAME: "x", NICKNAME: "y", SIZE: "10", ON: "true", LEVEL: "error", PAUSE: "" })).toMatchObject({
      name: "x",
      nickname: "y",
      database: { size: 10 },
      on: true,
      level: "error",
      pause: 30_000,
    });
    expect(problemsOf({ ...enough, SERVER: "" })).toEqual(["SERVER is not set: where it is"]);
  });

  test("that are wrong are all named at once, each with what is expected", () => {
    const problems = problemsOf({ SIZE: "11", ON: "yes", LEVEL: "loud", PAUSE: "30" });
    expect(problems.map(problem => problem.split(/[ =]/)[0])).toEqual(["SERVER", "DATABASE_URL", "SIZE", "ON", "LEVEL", "PAUSE"]);
    expect(problems[2]).toContain("less or equal to 10");
    expect(problems[4]).toContain("expected one of info, error");
    expect(problems[5]).toContain("a duration such as 500ms, 30s, 24h or 7d");
    expect(new ConfigError(problems).message).toContain("wrong in 6 places");
  });

  test("that are shared by two groups are complained about once", () => {
    const shared = {
      a: { port: integer("PORT", "the port", 1, { minimum: 0, maximum: 9 }) },
      b: { port: integer("PORT", "the port", 1, { minimum: 0, maximum: 9 }) },
    };
    expect(problemsOf({ PORT: "x" }, shared)).toHaveLength(1);
  });

  test("that are secret are never shown", () => {
    for (const wrong of ["hunter2", "//user:hunter2@db", "postgres//user:hunter2@db", "postgres://user:hunter2@db:port"]) {
      const [problem] = problemsOf({ ...enough, DATABASE_URL: wrong });
      expect(problem).toStartWith("DATABASE_URL=(hidden) is not allowed");
      expect(problem).not.toContain("hunter2");
    }
  });

  test("are listed with their groups flattened, for the documentation", () => {
    expect(listSettings(spec).map(setting => setting.variable)).toEqual([
      "NAME",
      "SERVER",
      "NICKNAME",
      "DATABASE_URL",
      "SIZE",
      "ON",
      "LEVEL",
      "PAUSE",
    ]);
  });
});

describe("a secret in a file", () => {
  const spec = { key: secret("KEY", "opens it", 8), nickname: optional(text("NICKNAME", "another name")) };
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), "kenri-config-"));
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  const fileWith = (content: string) => {
    const file = join(folder, crypto.randomUUID());
    writeFileSync(file, content);
    return file;
  };

  test.each([
    ["hunter2hunter2", "hunter2hunter2"],
    ["hunter2hunter2\n", "hunter2hunter2"],
    ["hunter2hunter2\r\n", "hunter2hunter2"],
    ["hunter2\nhunter2\n\n", "hunter2\nhunter2\n"],
    [" hunter2 hunter2 ", " hunter2 hunter2 "],
  ])("%j is read as %j", (content, value) => {
    expect(readSettings(spec, { KEY_FILE: fileWith(content) }).key).toBe(value);
    expect(readSettings(spec, { KEY: "", KEY_FILE: fileWith(content) }).key).toBe(value);
  });

  test("is refused beside the value itself, and when it is missing, empty, a folder or too short, without a word of it", () => {
    const refused: [Record<string, string>, string][] = [
      [{ KEY: "hunter2hunter2", KEY_FILE: fileWith("hunter2hunter2") }, "KEY and KEY_FILE are both set"],
      [{ KEY_FILE: join(folder, "none") }, "cannot be read (ENOENT)"],
      [{ KEY_FILE: folder }, "cannot be read (EISDIR)"],
      [{ KEY_FILE: fileWith("") }, "is empty"],
      [{ KEY_FILE: fileWith("\n") }, "is empty"],
      [{ KEY_FILE: fileWith("hunter2") }, "KEY=(hidden) is not allowed: expected at least 8 characters"],
    ];
    for (const [environment, sentence] of refused) {
      expect(problemsOf(environment, spec)).toEqual([expect.stringContaining(sentence)]);
      expect(problemsOf(environment, spec).join()).not.toContain("hunter2");
    }
  });

  test("is a form for secrets only", () => {
    expect(readSettings(spec, { KEY: "hunter2hunter2", NICKNAME_FILE: fileWith("x") }).nickname).toBeUndefined();
  });
});

test("a password in an address that is not allowed is not shown", () => {
  const port = { url: httpUrl("URL", "where") };
  expect(problemsOf({ URL: "ftp://user:hunter2@host" }, port)).toEqual([expect.stringContaining('URL="ftp://•••@host" is not allowed')]);
});

describe("a duration", () => {
  const read = (given: string) =>
    readSettings({ pause: duration("PAUSE", "", "1s", { minimum: "0ms", maximum: "365d" }) }, { PAUSE: given }).pause;
  test.each([
    ["0ms", 0],
    ["500ms", 500],
    ["30s", 30_000],
    ["1.5s", 1500],
    ["2m", 120_000],
    ["24h", 86_400_000],
    ["7d", 604_800_000],
  ])("%s", (given, milliseconds) => {
    expect(read(given)).toBe(milliseconds);
  });
  test.each(["30", "s", "-1s", "1 s", "1S", "1w", "1e3s", ".5s", "5.s", "Infinity", "1s1m", "366d", "９s"])("%s is refused", given => {
    expect(() => read(given)).toThrow(ConfigError);
  });
});

describe("a whole number", () => {
  const read = (given: string) => readSettings({ size: integer("SIZE", "", 1, { minimum: -5, maximum: 65_535 }) }, { SIZE: given }).size;
  test.each([
    ["0", 0],
    ["-5", -5],
    ["007", 7],
    ["65535", 65_535],
  ])("%s", (given, number) => expect(read(given)).toBe(number));
  test.each(["1.0", "1e3", "0x10", "+1", " 1", "1 ", "65536", "-6", "99999999999999999999", "NaN", "one"])("%s is refused", given => {
    expect(() => read(given)).toThrow(ConfigError);
  });
});
