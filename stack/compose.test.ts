import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { parse } from "yaml";
import { ConfigError } from "../server/kernel/config/config.ts";
import { natsUserOf } from "../server/kernel/config/nats_access.ts";
import { natsPermissionsOf, needsOf, takesKeys } from "../server/kernel/system/system.ts";
import { allRoles, settingsFor, systemOf, systems } from "../server/systems.ts";
import { knownVariables } from "../server/tools/variables.ts";
import { checkout } from "./checkout.ts";
import { completeEnv, requiredVariables } from "./compose_env.ts";
import { demoUsers } from "./idp/users.ts";
import { administrator, passwordVariable } from "./nats_config.ts";
import { defaultNames, permissionsOf } from "./nats_permissions.ts";

interface Service {
  image: string;
  restart?: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  networks?: string[];
  network_mode?: string;
  healthcheck?: { test: string[] };
  depends_on?: Record<string, { condition: string }>;
}

interface Realm {
  roles: { realm: { name: string }[] };
  clients: { clientId: string; secret: string }[];
  users: { username: string; firstName: string; lastName: string; realmRoles: string[]; credentials: { value: string }[] }[];
}

const text = readFileSync(join(checkout, "compose.yaml"), "utf8");
const { services, networks } = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  networks: Record<string, { internal?: boolean } | null>;
};
const secret = "s".repeat(40);
const ours = Object.entries(services).filter(([, { image, command = [] }]) => image === "kenri" && command[1] === "server/main.ts");

function problemsOf(roles: readonly string[], environment: Record<string, string>): string[] {
  try {
    settingsFor(roles, environment);
    return [];
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.problems;
  }
}

const rolesIn = ({ command = [] }: Service) => command.slice(2);

test("compose.yaml runs each declared role in a container of its own, after the migration", () => {
  expect(ours.flatMap(([, service]) => rolesIn(service)).toSorted()).toEqual(allRoles.toSorted());
  expect(rolesIn(services.migrate!)).toEqual(allRoles.filter(role => role.endsWith(":migrate")));
  for (const [name, service] of ours.filter(([name]) => name !== "migrate")) expect([name, rolesIn(service).length]).toEqual([name, 1]);
  for (const [name, service] of ours.filter(([name]) => name !== "migrate")) {
    expect([name, service.depends_on?.migrate?.condition]).toEqual([name, "service_completed_successfully"]);
    expect([name, service.healthcheck !== undefined]).toEqual([name, true]);
  }
});

test("every container of a role is restarted when it ends", () => {
  for (const [name, { restart }] of ours.filter(([name]) => name !== "migrate")) expect([name, restart]).toEqual([name, "unless-stopped"]);
});

test("every container has all the settings that its roles need in production", () => {
  // A variable with a default needs no value.
  const filled = (value: string) =>
    value.replace(
      /\$\{(\w+)(?::-([^}]*))?[^}]*\}/g,
      (_, name: string, preset?: string) => preset ?? (name.endsWith("_KEYS") ? `k1:${secret}` : secret),
    );
  for (const [name, service] of ours) {
    const environment = Object.fromEntries(Object.entries(service.environment ?? {}).map(([variable, value]) => [variable, filled(value)]));
    expect([name, problemsOf(rolesIn(service), environment)]).toEqual([name, []]);
  }
  expect(problemsOf(["account:api"], {})).toContainEqual(expect.stringContaining("ACCOUNT_APP_DATABASE_URL is not set"));
});

test("compose.yaml makes the database of every system that has one, with a password for its owner and its app", () => {
  const made = [...text.matchAll(/create database (\w+) owner \1_owner /g)].map(([, name]) => name);
  const given = Object.keys(services.postgres?.environment ?? {});
  for (const { name } of systems.filter(({ database }) => database)) {
    expect(made).toContain(name);
    for (const user of ["OWNER", "APP"]) expect(given).toContain(`KENRI_${name.toUpperCase()}_${user}_PASSWORD`);
  }
});

test("every variable that compose.yaml gives to Kenri is a setting", () => {
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
    return `nats://${user}:\${${variable}:?see the top of compose.yaml}@nats:4222`;
  };
  const roles = Object.keys(permissionsOf(defaultNames));
  expect(users.toSorted()).toEqual(roles.map(role => [role, url(natsUserOf(role))]).toSorted());
  const wanted = [administrator, ...roles.map(natsUserOf)].map(passwordVariable);
  expect(Object.keys(services.nats?.environment ?? {})).toEqual(wanted);
  for (const [name, value] of Object.entries(services.nats?.environment ?? {}))
    expect(value).toBe(`"\${${name}:?see the top of compose.yaml}"`);
  expect(text).toContain("file: ./stack/nats/kenri.conf");
});

/** The networks that a role needs, by its declaration. */
function networksOf(role: string): string[] {
  const system = systemOf(role);
  const { serves, database } = system;
  const isApi = role.endsWith(":api");
  const needs = needsOf(system, role);
  const joins = {
    clients: isApi && takesKeys(system),
    public: isApi && serves.includes("browsers"),
    services: isApi && (serves.includes("people") || serves.includes("operators") || needs.includes("services")),
    postgres: database,
    nats: natsPermissionsOf(system, role) !== undefined,
    redis: needs.includes("redis"),
    broker: needs.includes("outside"),
  };
  return Object.entries(joins).flatMap(([network, isNeeded]) => (isNeeded ? [network] : []));
}

const callsOutside = (role: string) => needsOf(systemOf(role), role).includes("outside");

test("ports are published on loopback only", () => {
  const published = Object.values(services).flatMap(({ ports = [] }) => ports);
  expect(published.filter(port => !port.startsWith("127.0.0.1:"))).toEqual([]);
});

test("every container is in the networks that its roles need, and in no other", () => {
  const stores = { postgres: ["postgres"], nats: ["nats"], redis: ["redis"], keycloak: ["public"], "paper-broker": ["broker"] };
  const observing = {
    prometheus: ["postgres", "redis", "prometheus"],
    grafana: ["dashboards", "prometheus"],
    jaeger: ["postgres", "redis", "dashboards"],
  };
  const wanted: Record<string, string[]> = {
    ...stores,
    ...observing,
    ...Object.fromEntries(ours.map(([name, service]) => [name, [...new Set(rolesIn(service).flatMap(networksOf))]])),
  };
  expect(wanted["entitlement-api"]).toEqual(["clients", "services", "postgres", "nats"]);
  expect(wanted.gateway).toEqual(["public", "services", "nats", "redis"]);
  expect(Object.fromEntries(Object.entries(services).map(([name, service]) => [name, service.networks]))).toEqual(wanted);
  expect(Object.entries(services).filter(([, service]) => service.network_mode !== undefined)).toEqual([]);
  // A container that publishes a port, or calls a service outside, needs a network to the outside. The stores and the network between the services have none.
  const outside = Object.keys(networks).filter(name => !networks[name]?.internal);
  expect(outside.toSorted()).toEqual(["broker", "clients", "dashboards", "public"]);
  const calls = new Set(ours.filter(([, service]) => rolesIn(service).some(callsOutside)).map(([name]) => name));
  for (const [name, { ports = [], networks: joined = [] }] of Object.entries(services))
    expect([name, joined.some(network => outside.includes(network))]).toEqual([name, ports.length > 0 || calls.has(name)]);
});

test("a container shares a network with every container that its settings name", () => {
  const problems = Object.entries(services).flatMap(([name, { environment = {}, networks: joined = [] }]) =>
    Object.entries(environment).flatMap(([variable, value]) => {
      const host = /^\w+:\/\/(?:[^/@]*@)?([a-z][a-z-]*)[:/]/.exec(String(value))?.[1] ?? "";
      const target = services[host];
      // Every process has the URL of the gateway's keys, but only APIs use it; every process of orders has the broker's, but not each calls it.
      const isOfAll =
        (variable === "GATEWAY_JWKS_URL" && !name.endsWith("-api") && name !== "gateway") ||
        (variable === "BROKER_URL" && !rolesIn(services[name]!).some(callsOutside));
      if (!target || target === services[name] || isOfAll) return [];
      return target.networks?.some(network => joined.includes(network)) ? [] : [`${name} cannot reach ${variable}=${value}`];
    }),
  );
  expect(problems).toEqual([]);
});

test("images have exact versions", () => {
  const dockerfile = readFileSync(join(checkout, "Dockerfile"), "utf8");
  const images = [
    ...Object.values(services).map(({ image }) => image),
    ...[...dockerfile.matchAll(/^FROM (\S+)/gm)].map(([, image = ""]) => image),
  ].filter(image => image !== "kenri");
  expect(images.length).toBeGreaterThan(4);
  for (const image of images) expect(image).toMatch(/:v?\d+\.\d+(\.\d+)?(-[a-z]+[\d.]*)?(@sha256:[0-9a-f]{64})?$/);
  // Only PostgreSQL has versions of two numbers.
  expect(images.filter(image => !/:v?\d+\.\d+\.\d+/.test(image) && !image.startsWith("postgres:"))).toEqual([]);
});

test("each password opens one store as one user", () => {
  const users = new Map<string, Set<string>>();
  for (const [, scheme = "", user = "", variable = ""] of text.matchAll(/(\w+):\/\/(\w+):\$\{(\w+)/g))
    users.set(variable, (users.get(variable) ?? new Set()).add(`${scheme} ${user}`));
  expect([...users].filter(([, of]) => of.size > 1)).toEqual([]);
  expect(users.size).toBeGreaterThanOrEqual(7);
  for (const [name, { command = [] }] of Object.entries(services))
    expect([name, command.join(" ")]).toEqual([name, expect.not.stringContaining("${")]);
});

test("only migrations and the janitor that makes partitions have the URL of a database's owner", () => {
  const owners = ours.filter(([, { environment = {} }]) => Object.keys(environment).some(name => /^[A-Z]+_DATABASE_URL$/.test(name)));
  const wanted = ours.filter(([, service]) => rolesIn(service).some(role => needsOf(systemOf(role), role).includes("owner")));
  expect(owners).toEqual(wanted);
  expect(owners.map(([name]) => name)).toEqual(["migrate", "entitlement-janitor"]);
});

test("the health check of a container asks its health port, which other containers reach only if KENRI_HEALTH_HOST says so, and the host never", () => {
  for (const [name, { healthcheck, environment = {}, ports = [] }] of ours.filter(([name]) => name !== "migrate")) {
    expect([name, healthcheck?.test.join(" ")]).toEqual([name, expect.stringContaining(`127.0.0.1:${environment.HEALTH_PORT}/readyz`)]);
    expect([name, environment.HEALTH_HOST]).toEqual([name, `\${KENRI_HEALTH_HOST:-127.0.0.1}`]);
    expect(ports.filter(port => port.endsWith(`:${environment.HEALTH_PORT}`))).toEqual([]);
  }
});

test("browsers and the gateway have the same issuer; the gateway uses an internal address", () => {
  const { OIDC_ISSUER: issuer = "", OIDC_INTERNAL_URL: internal = "" } = services.gateway?.environment ?? {};
  const { KC_HOSTNAME: hostname = "", KC_HTTP_PORT: port } = services.keycloak?.environment ?? {};
  expect(issuer).toBe(`${hostname}/realms/kenri`);
  expect(internal).toBe(`http://keycloak:${port}`);
  expect(services.keycloak?.ports).toEqual([`${new URL(hostname).host}:${port}`]);
});

test("the written .env has every required variable, reads as it was written, and keeps existing values", () => {
  const variables = requiredVariables(text);
  expect(variables).toContain("KENRI_ENTITLEMENT_OWNER_PASSWORD");
  // Bun reads .env too, so none of them may be a setting.
  expect(variables.filter(name => !name.startsWith("KENRI_") || knownVariables().includes(name))).toEqual([]);
  const first = completeEnv("# mine\nKENRI_DB_PASSWORD=kept", variables);
  expect(first.added).toEqual(variables.filter(name => name !== "KENRI_DB_PASSWORD"));
  const read = parseEnv(first.text);
  expect(Object.keys(read).toSorted()).toEqual(variables.toSorted());
  expect(read.KENRI_DB_PASSWORD).toBe("kept");
  for (const name of first.added) expect(read[name]).toMatch(name.endsWith("_KEYS") ? /^k1:[\w-]{32,}$/ : /^[\w-]{32,}$/);
  expect(new Set(Object.values(read)).size).toBe(variables.length);
  expect(completeEnv(first.text, variables)).toEqual({ text: first.text, added: [] });
  expect(readFileSync(join(checkout, ".gitignore"), "utf8").split("\n")).toContain(".env");
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

test("the files that the Dockerfile copies exist, and .dockerignore allows them", () => {
  const dockerfile = readFileSync(join(checkout, "Dockerfile"), "utf8");
  const allowed = readFileSync(join(checkout, ".dockerignore"), "utf8").split("\n");
  const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.*) \S+$/gm)].flatMap(([, sources = ""]) => sources.split(" "));
  expect(copied.filter(source => !existsSync(join(checkout, source)))).toEqual([]);
  expect(copied.filter(source => !allowed.includes(`!${source}`))).toEqual([]);
});

test("the paper broker and its callers have the same address and the same token, and its page is on loopback", () => {
  const { command = [], environment = {}, ports = [] } = services["paper-broker"]!;
  const [port, host] = ["--port", "--host"].map(option => command[command.indexOf(option) + 1]);
  expect([existsSync(join(checkout, command[1]!)), host, ports]).toEqual([true, "0.0.0.0", [`127.0.0.1:${port}:${port}`]]);
  const callers = ours.filter(([, service]) => rolesIn(service).some(callsOutside));
  expect(callers.map(([name]) => name)).toEqual(["orders-api", "orders-sender"]);
  for (const [, caller] of callers) {
    expect(caller.environment?.BROKER_URL).toBe(`http://paper-broker:${port}`);
    expect(caller.environment?.BROKER_TOKEN).toBe(environment.BROKER_TOKEN!);
  }
});

test("the image has all that the paper broker needs: its own folder and Bun", () => {
  const folder = join(checkout, "stack", "paper_broker");
  const files = [...new Bun.Glob("*.ts").scanSync(folder)].filter(file => !file.endsWith(".test.ts"));
  const imports = files.flatMap(file =>
    [...readFileSync(join(folder, file), "utf8").matchAll(/\bfrom "([^"]+)"/g)].map(([, from = ""]) => from),
  );
  expect(imports.filter(from => !/^(node|bun):/.test(from) && !/^\.\/\w+\.ts$/.test(from))).toEqual([]);
  expect(imports.length).toBeGreaterThan(10);
});
