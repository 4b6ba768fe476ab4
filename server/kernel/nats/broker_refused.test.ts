import { afterAll, beforeAll, expect, test } from "bun:test";
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import pino from "pino";
import { until } from "../../../stack/wait.ts";
import { testAuthority } from "../../testing/authority.ts";
import { natsAccessWith } from "../../testing/nats.ts";
import { type BareNats, bareNats, jwtUser } from "../../testing/nats_server.ts";
import { createHealth } from "../life/health.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { type Broker, BrokerAway, byOwnConnection, createBroker } from "./broker.ts";

let server: BareNats;
const open: Broker[] = [];
beforeAll(async () => {
  server = await bareNats("");
});
afterAll(async () => {
  await Promise.all(open.map(one => one.stop()));
  await server.stop();
});

const login = (user: string, password: string, permissions = "") =>
  `authorization { users: [{ user: "${user}", password: "${password}" ${permissions} }] }`;

async function startBroker(environment: Record<string, string>) {
  const lines: { level: number; msg: string; cause?: string; subject?: string }[] = [];
  const log = pino({ level: "info" }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const [health, metrics] = [createHealth(), createMetrics()];
  const access = natsAccessWith(environment);
  const broker = createBroker({ nats: access, name: "test", log, health, metrics });
  open.push(broker);
  await broker.start();
  const refused = async (cause: string) => {
    const { values } = await metrics.registry.getSingleMetric("kenri_nats_refused_total")!.get();
    return values.find(({ labels }) => labels.cause === cause)?.value ?? 0;
  };
  const logged = (msg: string) => lines.filter(line => line.msg === msg);
  const connects = () => until("it connects", 30_000, () => broker.connected());
  return { broker, health, access, refused, logged, connects };
}
const at = (port: number, credentials = "", scheme = "nats") => `${scheme}://${credentials}127.0.0.1:${port}`;

test("the credentials of the URL are used, decoded", async () => {
  await server.restart(login("re:lay", "h/u,n%t@er2"));
  const { connects, health } = await startBroker({ NATS_URL: at(server.port, "re%3Alay:h%2Fu%2Cn%25t%40er2@") });
  await connects();
  expect(health.troubles()).toEqual({});
});

test("a user and a token of their own settings are used", async () => {
  await server.restart(login("relay", "hunter2"));
  await (await startBroker({ NATS_URL: at(server.port), NATS_USER: "relay", NATS_PASSWORD: "hunter2" })).connects();
  await server.restart(`authorization { token: "hunter3" }`);
  await (await startBroker({ NATS_URL: at(server.port), NATS_TOKEN: "hunter3" })).connects();
  await (await startBroker({ NATS_URL: at(server.port, "hunter3@") })).connects();
});

test("a .creds file is used, and one that cannot be read is named", async () => {
  const { config, creds } = jwtUser();
  await server.restart(config);
  const file = join(server.folder, "test.creds");
  const { connects, health, logged } = await startBroker({ NATS_URL: at(server.port), NATS_CREDS_FILE: file });
  await until("health says so", 30_000, () => health.troubles().broker?.includes("NATS_CREDS_FILE cannot be read (ENOENT)") === true);
  writeFileSync(file, creds);
  await connects();
  expect(health.troubles()).toEqual({});
  expect(logged("broker.refused")).toHaveLength(1);
  rmSync(file);
});

test("of several servers the one that answers is used", async () => {
  await server.restart(login("relay", "hunter2"));
  const { connects } = await startBroker({ NATS_URL: `nats://relay:hunter2@127.0.0.1:1,127.0.0.1:${server.port}` });
  await connects();
});

test("a wrong password is logged once and shown in health until the server accepts it, also when it changes later", async () => {
  await server.restart(login("relay", "another"));
  const { broker, health, access, refused, logged, connects } = await startBroker({ NATS_URL: at(server.port, "relay:hunter2@") });
  const says = "NATS refuses the credentials of user relay (Authorization Violation); check NATS_URL";
  await until("it was refused a few times", 30_000, async () => (await refused("credentials")) > 3);
  expect(health.troubles()).toEqual({ broker: says });
  expect(() => broker.connection()).toThrow(new BrokerAway(says));
  expect(logged("broker.refused").map(({ cause }) => cause)).toEqual([says]);
  await expect(byOwnConnection(access, "apart", async () => {})).rejects.toThrow("Authorization Violation");

  await server.restart(login("relay", "hunter2"));
  await connects();
  expect(health.troubles()).toEqual({});
  const before = await refused("credentials");
  await server.restart(login("relay", "another"));
  await until("it was refused again", 30_000, async () => (await refused("credentials")) > before + 3);
  expect(health.troubles()).toEqual({ broker: says });
  expect(logged("broker.refused")).toHaveLength(2);
  await server.restart(login("relay", "hunter2"));
  await connects();
  expect(health.troubles()).toEqual({});
  expect(JSON.stringify(logged("broker.refused"))).not.toContain("hunter2");
});

test("a subject that the role may not use is logged once and counted each time", async () => {
  await server.restart(login("relay", "hunter2", `, permissions: { publish: "mine", subscribe: "mine" }`));
  const { broker, health, refused, logged, connects } = await startBroker({ NATS_URL: at(server.port, "relay:hunter2@") });
  await connects();
  for (let n = 0; n < 3; n++) broker.connection().publish("theirs");
  broker.connection().subscribe("secret", { callback: () => {} });
  await until("all are counted", 30_000, async () => (await refused("permission")) === 4);
  expect(logged("broker.not_permitted").map(({ subject }) => subject)).toEqual(["theirs", "secret"]);
  expect(broker.connected()).toBe(true);
  expect(health.troubles()).toEqual({ broker_permissions: expect.stringContaining("NATS does not let user relay subscription secret") });
  await server.restart(login("relay", "hunter2"));
  await until("with a new connection nothing is wrong", 10_000, () => Object.keys(health.troubles()).length === 0);
});

test("TLS: the server is checked against the CA, a client certificate is sent, and a failure is logged, also at a reconnect", async () => {
  const authority = await testAuthority(join(server.folder, "ours"));
  const foreign = await testAuthority(join(server.folder, "foreign"));
  const [own, alien, client] = [await authority.server("nats"), await foreign.server("alien"), await authority.client("relay")];
  const tls = ({ cert, key }: { cert: string; key: string }, ca = "") =>
    `tls { cert_file: "${cert}", key_file: "${key}" ${ca && `, verify: true, ca_file: "${ca}"`} }\n${login("relay", "hunter2")}`;
  const url = `tls://relay:hunter2@localhost:${server.port}`;
  await server.restart(tls(own));
  const checked = await startBroker({ NATS_URL: url, NATS_CA_FILE: authority.ca });
  await checked.connects();

  const unchecked = await startBroker({ NATS_URL: url });
  await until("a CA that nobody knows is refused", 30_000, async () => (await unchecked.refused("tls")) > 1);
  expect(unchecked.health.troubles().broker).toStartWith("TLS with NATS fails (");
  expect(unchecked.logged("broker.refused")).toHaveLength(1);
  const lost = await startBroker({ NATS_URL: url, NATS_CA_FILE: "/nowhere/ca.pem" });
  await until("a file that is missing is named", 30_000, () => lost.health.troubles().broker?.includes("/nowhere/ca.pem") === true);

  await server.restart(tls(alien));
  await until("a foreign server is refused at a reconnect", 30_000, async () => (await checked.refused("tls")) > 0);
  expect(checked.health.troubles().broker).toStartWith("TLS with NATS fails (");
  await server.restart(tls(own, authority.ca));
  const files = { NATS_CA_FILE: authority.ca, NATS_CERT_FILE: client.cert, NATS_KEY_FILE: client.key };
  const known = await startBroker({ NATS_URL: url, ...files });
  await known.connects();
  await until("who has no certificate is refused", 30_000, () => checked.health.troubles().broker?.includes("client certificate") === true);

  const misnamed = await authority.server("misnamed", ["elsewhere.example"]);
  const before = await known.refused("tls");
  await server.restart(tls(misnamed, authority.ca));
  await until("a certificate with another name is refused", 30_000, async () => (await known.refused("tls")) > before);

  await server.restart(login("relay", "hunter2"));
  await until("a server without TLS is refused", 30_000, async () => (await known.refused("tls")) > 0);
  expect(known.broker.connected()).toBe(false);
});
