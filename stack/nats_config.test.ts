import { expect, test } from "bun:test";
import { entitlementEvents } from "../server/contracts/entitlement_events.ts";
import { listSettings } from "../server/kernel/config/config.ts";
import { systems } from "../server/systems.ts";
import { configFile, documentFile, usersConfig, writtenDocument } from "./nats_config.ts";
import { defaultNames, namesIn, nameVariables, permissionsOf, testNames } from "./nats_permissions.ts";
import { administratorUrl, passwordVariables, roleUrls } from "./nats_users.ts";

test("stack/nats/kenri.conf is what `bun stack/nats_config.ts --write` writes", async () => {
  expect(await Bun.file(configFile).text()).toBe(usersConfig(defaultNames));
});

test("the table of docs/security.md is what `bun stack/nats_config.ts --write` writes", async () => {
  const document = await Bun.file(documentFile).text();
  expect(writtenDocument(document)).toBe(document);
  expect(writtenDocument(document.replace("publishes events", "publishes nothing"))).toBe(document);
});

test("every role with a NATS URL of its own has a user, and no other", () => {
  const roles = systems.flatMap(({ settings }) => Object.keys(settings.natsUrls ?? {}));
  expect(Object.keys(permissionsOf(defaultNames)).toSorted()).toEqual(roles.toSorted());
});

test("the names in the table are the defaults of the settings", () => {
  const presets = Object.fromEntries(
    systems.flatMap(({ settings }) => listSettings(settings).map(({ variable, preset }) => [variable, preset])),
  );
  expect(nameVariables().toSorted()).toEqual([
    "ANNOUNCED_SUBJECT",
    "ENTITLEMENT_CONSUMER",
    "ENTITLEMENT_STREAM",
    "ENTITLEMENT_SUBJECT",
    "INBOX_SUBJECT",
    "MATCHMAKING_CONSUMER",
    "MATCHMAKING_STREAM",
    "MATCHMAKING_SUBJECT",
    "TAKEN_IN_SUBJECT",
  ]);
  expect(permissionsOf(namesIn(presets))).toEqual(permissionsOf(defaultNames));
  expect(permissionsOf(namesIn({}))).toEqual(permissionsOf(defaultNames));
  expect(namesIn({ ENTITLEMENT_STREAM: "mine" })(entitlementEvents.stream)).toBe("mine");
});

test("in tests every role has the same permissions, with wildcards instead of names", () => {
  const kinds = (names: typeof defaultNames) =>
    Object.entries(permissionsOf(names)).map(([role, { publish, subscribe }]) => [role, publish.map(one => one.purpose), subscribe.length]);
  expect(kinds(testNames)).toEqual(kinds(defaultNames));
});

test("every user has a password of its own, and no role's password contains the administrator's", () => {
  const passwords = Object.values(passwordVariables("the administrator's"));
  expect(new Set(passwords).size).toBe(Object.keys(permissionsOf(defaultNames)).length + 1);
  expect(passwords.filter(password => password.includes("the administrator's"))).toHaveLength(1);
  expect(passwordVariables("another")).not.toEqual(passwordVariables("the administrator's"));
});

test("the roles have URLs at a server of a stack, and none at any other", () => {
  const urls = roleUrls(administratorUrl(4222, "pass"));
  expect(Object.keys(urls)).toContain("ENTITLEMENT_RELAY_NATS_URL");
  expect(new URL(urls.ENTITLEMENT_RELAY_NATS_URL!)).toMatchObject({ username: "entitlement_relay", host: "127.0.0.1:4222" });
  expect(roleUrls("nats://elsewhere:4222")).toEqual({});
});
