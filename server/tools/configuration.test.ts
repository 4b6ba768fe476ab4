import { describe, expect, test } from "bun:test";
import { duration, integer, listSettings, optional, type SettingsSpec, secretUrl, variablesOf } from "../kernel/config/config.ts";
import { allSettings } from "../systems.ts";
import { documentFile, tablesOf, written } from "./configuration.ts";

const document = await Bun.file(documentFile).text();

/** The rows of the tables under a heading: variable, default, meaning. */
function rowsUnder(heading: string): string[][] {
  const section = document.split(/^## /m).find(part => part.startsWith(`${heading}\n`)) ?? "";
  const lines = section.split("\n").filter(line => line.startsWith("| `"));
  return lines.map(line =>
    line.split(" | ").map(cell =>
      cell
        .replace(/^\| | \|$/g, "")
        .replaceAll("`", "")
        .trim(),
    ),
  );
}

describe("docs/configuration.md", () => {
  test.each(Object.keys(allSettings) as (keyof typeof allSettings)[])(
    "has every setting of %s with its default and meaning, and no other",
    group => {
      const wanted = listSettings(allSettings[group]).map(setting => [
        variablesOf(setting).join(" or "),
        setting.preset ?? (setting.optional ? "–" : "required"),
        setting.about,
      ]);
      expect(wanted.length).toBeGreaterThan(2);
      expect(rowsUnder(group)).toEqual(wanted);
    },
  );

  test("is as `bun server/tools/configuration.ts --write` leaves it", () => {
    expect(written(document)).toBe(document);
  });
});

test("drift is noticed: another default, another setting, another word", () => {
  const size = integer("SIZE", "how many", 5, { minimum: 1, maximum: 9 });
  const drifted: SettingsSpec[] = [
    { size: { ...size, preset: "6" } },
    { size: { ...size, about: "how much" } },
    { size, more: optional(secretUrl("URL", "where")) },
    {},
  ];
  const now = written(document, tablesOf({ test: { size } }));
  for (const spec of drifted) expect(written(now, tablesOf({ test: spec }))).not.toBe(now);
  expect(written(now, tablesOf({ test: { size } }))).toBe(now);
});

test("a document without its markers is refused, and what stands around them is kept", () => {
  expect(() => written("# Configuration\n")).toThrow("lacks the lines");
  expect(written(`before ${document} after`)).toStartWith("before ");
  expect(written(`before ${document} after`)).toEndWith(" after");
  expect(tablesOf({ test: { a: duration("A", "this | that", "1s", { minimum: "1s", maximum: "1s" }) } })).toContain("this \\| that");
});

test("the defaults are those the design names", () => {
  const presets = Object.fromEntries(listSettings(allSettings).map(({ variable, preset }) => [variable, preset]));
  expect(presets).toMatchObject({
    ENTITLEMENT_PORT: "8081",
    NOTIFICATION_PORT: "8082",
    ACCOUNT_PORT: "8083",
    KENRI_ENV: "production",
    IDEMPOTENCY_TTL: "24h",
    OUTBOX_POLL: "1s",
    OUTBOX_BATCH: "50",
    OUTBOX_LEASE: "30s",
    OUTBOX_MAX_ATTEMPTS: "10",
    OUTBOX_RETENTION: "7d",
    NOTIFICATION_POLL: "1s",
    NOTIFICATION_BATCH: "50",
    NOTIFICATION_LEASE: "30s",
    NOTIFICATION_MAX_ATTEMPTS: "10",
    NOTIFICATION_CHANNEL: "log",
    STREAM_MAX_AGE: "7d",
    STREAM_DUPLICATE_WINDOW: "2m",
    CONSUMER_ACK_WAIT: "30s",
    CONSUMER_MAX_ACK_PENDING: "1000",
    NOTIFICATION_RETENTION: "30d",
    PROCESSED_EVENTS_RETENTION: "30d",
    AUDIT_MONTHS: "13",
    PROCESSED_MESSAGES_TTL: "24h",
    PROCESSED_MESSAGES_KEEP: "7d",
    ENTITLEMENT_STREAM: "entitlement-events",
    ENTITLEMENT_SUBJECT: "entitlement.events",
    ENTITLEMENT_CONSUMER: "notification-entitlement-consumer",
  });
});
