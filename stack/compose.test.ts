import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { knownVariables } from "../server/variables.ts";
import { checkout } from "./checkout.ts";
import { demoUsers } from "./idp/users.ts";
import { administrator, passwordVariable } from "./nats_config.ts";
import { defaultNames, rightsOf, userOf } from "./nats_permissions.ts";

interface Service {
  image: string;
  restart?: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  healthcheck?: unknown;
  depends_on?: Record<string, { condition: string }>;
}

interface Realm {
  roles: { realm: { name: string }[] };
  clients: { clientId: string; secret: string }[];
  users: { username: string; firstName: string; lastName: string; realmRoles: string[]; credentials: { value: string }[] }[];
}

const text = readFileSync(join(checkout, "compose.yaml"), "utf8");
const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };
const ours = Object.entries(services).filter(([, service]) => service.image === "kenri");

test("compose.yaml runs each role in a container of its own, after the migration", () => {
  const roles = ours.flatMap(([, { command = [] }]) => command.slice(2));
  expect(roles.toSorted()).toEqual([
    "account:api",
    "account:migrate",
    "entitlement:api",
    "entitlement:janitor",
    "entitlement:migrate",
    "entitlement:relay",
    "gateway:api",
    "notification:api",
    "notification:consumer",
    "notification:janitor",
    "notification:migrate",
    "notification:sender",
  ]);
  for (const [name, service] of ours.filter(([name]) => name !== "migrate")) {
    expect([name, service.depends_on?.migrate?.condition]).toEqual([name, "service_completed_successfully"]);
    expect([name, service.healthcheck !== undefined]).toEqual([name, true]);
  }
});

test("every role that ends by itself is started again", () => {
  for (const [name, { restart }] of ours.filter(([name]) => name !== "migrate")) expect([name, restart]).toEqual([name, "unless-stopped"]);
});

test("every variable that compose.yaml gives to Kenri is one the config knows", () => {
  const given = new Set(ours.flatMap(([, { environment = {} }]) => Object.keys(environment)));
  const known = new Set(knownVariables());
  expect([...given].filter(name => !known.has(name))).toEqual([]);
  expect(given.size).toBeGreaterThan(5);
});

test("each role connects to NATS as its own user, and the server has the password of every user", () => {
  const users = ours.flatMap(([, { command = [], environment = {} }]) =>
    environment.NATS_URL ? [[command[2], environment.NATS_URL]] : [],
  );
  const url = (user: string) => {
    const variable = passwordVariable(user);
    return `nats://${user}:\${${variable}:?set ${variable}}@nats:4222`;
  };
  const roles = Object.keys(rightsOf(defaultNames));
  expect(users.toSorted()).toEqual(roles.map(role => [role, url(userOf(role))]).toSorted());
  const wanted = [administrator, ...roles.map(userOf)].map(passwordVariable);
  expect(Object.keys(services.nats?.environment ?? {})).toEqual(wanted);
  for (const [name, value] of Object.entries(services.nats?.environment ?? {})) expect(value).toBe(`"\${${name}:?set ${name}}"`);
  expect(text).toContain("file: ./stack/nats/kenri.conf");
});

test("ports are published on loopback only", () => {
  const published = Object.values(services).flatMap(({ ports = [] }) => ports);
  expect(published.filter(port => !port.startsWith("127.0.0.1:"))).toEqual([]);
});

test("no password and no secret has a default", () => {
  const withDefault = [...text.matchAll(/\$\{(\w*(?:PASSWORD|SECRET)\w*)([^}]*)\}/g)].filter(([, , rest = ""]) => !rest.startsWith(":?"));
  expect(withDefault.map(([match]) => match)).toEqual([]);
  expect(text).not.toMatch(/password '[^:]/);
});

test("Keycloak's realm has the demo users of the dev IdP, with the same roles, and no secret in it", async () => {
  const realm = (await Bun.file(join(checkout, "stack", "keycloak", "kenri-realm.json")).json()) as Realm;
  const known = realm.users.map(({ username, firstName, lastName, realmRoles: roles, credentials: [password] }) => {
    expect(password?.value).toBe(username);
    return { username, name: `${firstName} ${lastName}`, roles };
  });
  expect(known).toEqual(demoUsers.map(user => ({ ...user, roles: [...user.roles] })));
  expect(realm.roles.realm.map(({ name }) => name)).toEqual(demoUsers.flatMap(({ roles }) => roles));
  expect(realm.clients.map(({ clientId }) => clientId)).toEqual(["kenri"]);
  expect(realm.clients[0]?.secret).toMatch(/^\$\{KENRI_OIDC_CLIENT_SECRET\}$/);
  expect(Object.keys(services.keycloak?.environment ?? {})).toContain("KENRI_OIDC_CLIENT_SECRET");
});

test("what the Dockerfile copies exists, and .dockerignore lets it in", () => {
  const dockerfile = readFileSync(join(checkout, "Dockerfile"), "utf8");
  const allowed = readFileSync(join(checkout, ".dockerignore"), "utf8").split("\n");
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources = ""]) => sources.split(" "));
  expect(copied.filter(source => !existsSync(join(checkout, source)))).toEqual([]);
  expect(copied.filter(source => !allowed.includes(`!${source}`))).toEqual([]);
});
