import { describe, expect, test } from "bun:test";
import { readSettings } from "./config.ts";
import { natsAccess, natsProblems, natsSettings, natsUrlProblems, roleNatsUrls } from "./nats_access.ts";
import { readNatsUrl } from "./nats_url.ts";

const none = { tls: false, credentials: undefined };
const relay = { user: "relay", pass: "hunter2" };
test.each([
  ["nats://127.0.0.1:4222", { ...none, servers: ["127.0.0.1:4222"] }],
  ["127.0.0.1:4222", { ...none, servers: ["127.0.0.1:4222"] }],
  ["nats://[::1]:4222", { ...none, servers: ["[::1]:4222"] }],
  ["nats://one, nats://two:4333,three", { ...none, servers: ["one", "two:4333", "three"] }],
  ["nats://relay:hunter2@one,nats://two", { ...none, servers: ["one", "two"], credentials: relay }],
  ["nats://relay:hunter2@one,nats://relay:hunter2@two", { ...none, servers: ["one", "two"], credentials: relay }],
  ["nats://hunter2@one", { ...none, servers: ["one"], credentials: { token: "hunter2" } }],
  ["nats://r%40lay:h%2Fun%2Ct%25er2@one", { ...none, servers: ["one"], credentials: { user: "r@lay", pass: "h/un,t%er2" } }],
  ["tls://one", { servers: ["one"], tls: true, credentials: undefined }],
  ["nats://one,tls://two", { servers: ["one", "two"], tls: true, credentials: undefined }],
])("%s is read", (text, wanted) => expect(readNatsUrl(text)).toEqual(wanted));

test.each([
  ["http://one", "another scheme"],
  ["nats://", "no host"],
  ["nats://one,", "an empty place in the list"],
  ["nats://one:70000", "a port that is none"],
  ["nats://one/path", "a path"],
  ["nats://one?tls", "a query"],
  ["nats://relay:%zz@one", "a percent sign that encodes nothing"],
  ["nats://:hunter2@one", "a password without a user"],
  ["nats://a:x@one,nats://b:x@two", "two users"],
])("%s is refused: %s", (text, _) => expect(readNatsUrl(text)).toBeUndefined());

const read = (environment: Record<string, string>) => readSettings(natsSettings, { NATS_URL: "nats://one", ...environment }, natsProblems);

describe("settings of NATS", () => {
  test.each([
    [{ NATS_URL: "nats://relay:hunter2@one:none" }, "NATS_URL=(hidden) is not allowed"],
    [{ NATS_USER: "relay" }, "NATS_USER and NATS_PASSWORD belong together"],
    [{ NATS_PASSWORD: "hunter2" }, "NATS_USER and NATS_PASSWORD belong together"],
    [{ NATS_USER: "relay", NATS_PASSWORD: "hunter2", NATS_TOKEN: "hunter2" }, "NATS_USER and NATS_TOKEN are set"],
    [{ NATS_TOKEN: "hunter2", NATS_CREDS_FILE: "/creds" }, "NATS_TOKEN and NATS_CREDS_FILE are set"],
    [{ NATS_CERT_FILE: "/cert" }, "NATS_CERT_FILE and NATS_KEY_FILE belong together"],
  ])("%o is refused, without a secret in the words", (environment, wanted) => {
    const refuse = () => read(environment);
    expect(refuse).toThrow(wanted);
    expect(refuse).not.toThrow("hunter2");
  });

  test("the URL of a role comes before the common one, and credentials of a URL before the common ones", () => {
    const common = read({ NATS_USER: "all", NATS_PASSWORD: "common", NATS_CA_FILE: "/ca" });
    const own = readSettings(roleNatsUrls("shop:api", "shop:relay"), { SHOP_RELAY_NATS_URL: "nats://relay:hunter2@two,three" });
    const access = natsAccess(common, own, "shop:relay");
    expect(access).toMatchObject({ who: "user relay", credentialsIn: "SHOP_RELAY_NATS_URL" });
    const tls = { caFile: "/ca" };
    expect(access.options()).toEqual({ servers: ["two", "three"], inboxPrefix: "_INBOX_shop_relay", tls, ...relay });
    const other = natsAccess(common, own, "shop:api");
    expect(other).toMatchObject({ who: "user all", credentialsIn: "NATS_USER and NATS_PASSWORD" });
    expect(other.options()).toEqual({ servers: ["one"], inboxPrefix: "_INBOX_shop_api", tls, user: "all", pass: "common" });
  });

  test("a role needs a URL of its own or the common one", () => {
    const own = readSettings(roleNatsUrls("shop:api", "shop:relay"), { SHOP_API_NATS_URL: "nats://one" });
    const nothing = readSettings(natsSettings, {});
    const roles = ["shop:api", "shop:relay", "shop:janitor"];
    expect(natsUrlProblems(roles, nothing, own, false)).toEqual([
      "SHOP_RELAY_NATS_URL or NATS_URL is not set: shop:relay needs NATS with JetStream",
    ]);
    expect(natsUrlProblems(roles, read({}), own, false)).toEqual([]);
  });

  test("production refuses a NATS without credentials and says what to set", () => {
    const own = readSettings(roleNatsUrls("shop:api", "shop:relay"), { SHOP_API_NATS_URL: "nats://one" });
    const problems = (environment: Record<string, string>, roles = ["shop:relay"]) => natsUrlProblems(roles, read(environment), own, true);
    expect(problems({})).toEqual([expect.stringContaining("write user and password into NATS_URL, or set NATS_USER")]);
    expect(problems({}, ["shop:api"])).toEqual([expect.stringContaining("into SHOP_API_NATS_URL")]);
    expect(problems({ NATS_URL: "nats://relay:hunter2@one" })).toEqual([]);
    expect(problems({ NATS_URL: "nats://hunter2@one" })).toEqual([]);
    expect(problems({ NATS_TOKEN: "hunter2" })).toEqual([]);
    expect(problems({ NATS_CERT_FILE: "/cert", NATS_KEY_FILE: "/key" })).toEqual([]);
    expect(problems({}, ["shop:janitor"])).toEqual([]);
  });
});
