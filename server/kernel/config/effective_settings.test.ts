import { describe, expect, test } from "bun:test";
import { allSettings } from "../../systems.ts";
import { effectiveSettings, listSettings, presentable, secret, secretUrl, text, variablesOf } from "./config.ts";

const one = (spec: Parameters<typeof effectiveSettings>[0], environment: Record<string, string>) => effectiveSettings(spec, environment)[0];

describe("a setting in effect", () => {
  test("tells its value, its default, and whether somebody set it", () => {
    const spec = { a: text("A", "about a", "preset") };
    const shown = { variable: "A", about: "about a", preset: "preset", is_secret: false };
    expect(one(spec, {})).toEqual({ ...shown, value: "preset", is_set: false });
    expect(one(spec, { A: "" })).toEqual({ ...shown, value: "preset", is_set: false });
    expect(one(spec, { A: "given" })).toEqual({ ...shown, value: "given", is_set: true });
  });

  test.each([
    ["a secret", secret("A", "about")],
    ["a URL with a password", secretUrl("A", "about")],
  ])("of %s tells only that it is set", (_, setting) => {
    expect(one({ setting }, { A: "postgres://user:hunter2@host/db" })).toEqual({
      variable: "A",
      about: "about",
      value: null,
      preset: null,
      is_set: true,
      is_secret: true,
    });
  });
});

test("a secret that a file holds is set, and its file is not named", () => {
  expect(one({ key: secret("A", "about") }, { A_FILE: "/run/secrets/a" })).toMatchObject({ value: null, is_set: true, is_secret: true });
  expect(one({ key: text("A", "about") }, { A_FILE: "/run/secrets/a" })).toMatchObject({ value: null, is_set: false });
});

test("the file form of no secret is the name of another setting", () => {
  const settings = [...new Map(listSettings(allSettings).map(setting => [setting.variable, setting])).values()];
  const names = settings.flatMap(variablesOf);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test.each([
  ["nats://127.0.0.1:4222", "nats://127.0.0.1:4222"],
  ["30s", "30s"],
  ["nats://user:hunter2@host:4222", "nats://•••@host:4222"],
  ["nats://hunter2@host", "nats://•••@host"],
  ["nats://a:hunter2@one,nats://b:hunter2@two", "nats://•••@two"],
  ["user:hunter2@host:4222", "•••@host:4222"],
  ["nats://user:hun@ter2@host", "nats://•••@host"],
  ["NATS://user:hunter2/?#@host", "NATS://•••"],
  ["nats://user:hun\nter2@host", "nats://•••@host"],
  ["https://host/keys?token=hunter2", "https://host/keys?•••"],
  ["https://host/keys#hunter2", "https://host/keys?•••"],
  ["https://u:hunter2@host/keys?token=hunter2&to=a@b", "https://•••"],
])("%j is shown as %j", (given, shown) => expect(presentable(given)).toBe(shown));

test("no secret of any system's environment comes out, nor a password in any address", () => {
  const settings = listSettings(allSettings);
  const environment = Object.fromEntries(
    settings.map(({ variable, secret: isSecret }) => [
      variable,
      isSecret ? `hunter2-${variable}` : `scheme://user:hunter2@host/?key=hunter2`,
    ]),
  );
  const shown = effectiveSettings(allSettings, environment);
  expect(shown).toHaveLength(settings.length);
  expect(JSON.stringify(shown)).not.toContain("hunter2");
  expect(shown.filter(({ is_set }) => !is_set)).toEqual([]);
});
