import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { listSettings } from "./kernel/config/config.ts";
import { allSettings } from "./systems.ts";

/** A rule: which lines are forbidden in which files. */
interface Rule {
  readonly says: string;
  readonly concerns: (file: string) => boolean;
  readonly forbids: (line: string, file: string) => boolean;
  readonly except?: Record<string, string>;
  /** A line that breaks the rule: the proof that it can fail. */
  readonly broken: readonly [file: string, line: string];
}

const root = join(import.meta.dir, "..");
/** Folders of `server/` that are no system. */
const shared = new Set(["kernel", "contracts", "cli", "tools", "gen", "testing", "faults"]);
const rooms = readdirSync(join(root, "server"), { withFileTypes: true })
  .filter(entry => entry.isDirectory() && !shared.has(entry.name))
  .map(entry => entry.name);
/** The sub-rooms of the kernel. Each imports only from itself and from those before it. */
const kernelRooms = ["telemetry", "life", "config", "postgres", "nats", "redis", "http", "delivery", "operator", "system"];
const read = (folder: string, ending: string) =>
  new Map(
    readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })
      .filter(file => file.endsWith(ending) && !file.startsWith("gen/"))
      .map(file => [`${folder}/${file}`, readFileSync(join(root, folder, file), "utf8")]),
  );
const files = new Map([...read("server", ".ts"), ...read("sql", ".sql"), ...read("e2e", ".ts"), ...read("bench", ".ts")]);

const isTest = (file: string) => /\.test\.ts$|^server\/(testing|faults)\//.test(file);
const isCode = (file: string) => file.startsWith("server/") && !isTest(file);
const isStatement = (file: string) => file.startsWith("sql/") && !file.includes("/migrations/");
const roomOf = (file: string) => file.split("/")[1]!;
const subRoomOf = (file: string) => file.split("/")[2]!;
/** The file of this project that a line imports, such as `server/kernel/http/problem.ts`. */
function importOf(line: string, file: string): string {
  const path = /\bfrom "(\.\.?\/[^"]+)"|\bimport(?: |\()"(\.\.?\/[^"]+)"/.exec(line)?.slice(1).find(Boolean);
  return path ? join(dirname(file), path) : "";
}
/**
 * Words of the business: the names of the rooms, and of things that only one of them has. A variable of the environment and the texts of HTTP statuses
 * keep their names.
 */
const business = new RegExp(`${rooms.join("|")}|purchase|reconcil|outbox|debug.?inbox`, "i");
const states = /\b(PUBLISHED|SENT)\b/;
const saysBusiness = (line: string) => {
  const neutral = line.replace(/GATEWAY_JWKS_URL/g, "").replace(/(Bad|bad) (G|g)ateway|Gateway Timeout/g, "");
  return business.test(neutral) || states.test(neutral);
};
const isIn = (file: string, ...folders: readonly string[]) => folders.some(folder => file.startsWith(`server/${folder}/`));

/** The tables of a room, by its migrations. */
const tables = new Map(
  ["kernel", ...rooms].map(room => {
    const migrations = [...files].filter(([file]) => file.startsWith(`sql/${room}/migrations/`)).map(([, text]) => text);
    return [room, migrations.flatMap(text => [...text.matchAll(/^create (?:unlogged )?table (\w+)/gm)].map(match => match[1]!))] as const;
  }),
);
const written = (line: string) => /\b(?:insert into|update|delete from|truncate|merge into) (\w+)/i.exec(line)?.[1] ?? "";

/** The tables whose rows tests make by a factory. */
const factoryTables = [...files]
  .filter(([file]) => /^server\/testing\/\w+_rows\.ts$/.test(file))
  .flatMap(([, text]) => [...text.matchAll(/\browFactory<[^>]+>\(\s*"(\w+)"/g)].map(match => match[1]!));

/** The records of operators' actions: a room's statement writes them together with its rows. */
const ofOperators = new Set(["operator_actions", "operations", "operation_items", "erasures"]);

const rules: Rule[] = [
  {
    says: "the kernel imports only from the kernel",
    concerns: file => isCode(file) && roomOf(file) === "kernel",
    forbids: (line, file) => importOf(line, file) !== "" && !isIn(importOf(line, file), "kernel"),
    broken: ["server/kernel/postgres/store.ts", 'import { relay } from "../../entitlement/outbox/relay.ts";'],
  },
  {
    says: "a sub-room of the kernel imports only from those above it: telemetry, life, config, postgres, nats, redis, http, delivery, operator, system",
    concerns: file => isCode(file) && roomOf(file) === "kernel",
    forbids: (line, file) =>
      isIn(importOf(line, file), "kernel") && kernelRooms.indexOf(subRoomOf(importOf(line, file))) > kernelRooms.indexOf(subRoomOf(file)),
    broken: ["server/kernel/postgres/store.ts", 'import { Problem } from "../http/problem.ts";'],
  },
  {
    says: "the kernel has no word of the business: what only one system has belongs to its room",
    concerns: file => (isCode(file) && roomOf(file) === "kernel") || (isStatement(file) && roomOf(file) === "kernel"),
    forbids: saysBusiness,
    except: {
      "server/kernel/nats/stream_errors.ts": "accounts of NATS, which limit streams",
      "server/kernel/http/tokens.ts": "the issuer of people's tokens has this name in every token",
      "server/kernel/operator/erasure_routes.ts": "the role that calls it has this name in every token",
      "server/kernel/operator/operation_standing.ts": "the gateway and accounts have these names on the wire",
    },
    broken: ["server/kernel/life/role.ts", "  reconcile(): void;"],
  },
  {
    says: "contracts between systems import only from the kernel",
    concerns: file => isCode(file) && roomOf(file) === "contracts",
    forbids: (line, file) => importOf(line, file) !== "" && !isIn(importOf(line, file), "kernel", "contracts"),
    broken: ["server/contracts/feed_hints.ts", 'import { notificationSettings } from "../notification/config.ts";'],
  },
  {
    says: "rooms do not import each other; they talk by HTTP and events",
    concerns: file => isCode(file) && rooms.includes(roomOf(file)),
    forbids: (line, file) => isIn(importOf(line, file), ...rooms.filter(room => room !== roomOf(file))),
    broken: ["server/gateway/calls/downstream.ts", 'import { findUser } from "../../account/changes.ts";'],
  },
  {
    says: "a room imports only from itself, the kernel, contracts and generated code",
    concerns: file => isCode(file) && rooms.includes(roomOf(file)),
    forbids: (line, file) =>
      importOf(line, file) !== "" && !isIn(importOf(line, file), roomOf(file), "kernel", "contracts", "gen", ...rooms),
    broken: ["server/entitlement/outbox/relay.ts", 'import { systems } from "../../systems.ts";'],
  },
  {
    says: "code does not import tests or what is for tests",
    concerns: file => isCode(file),
    forbids: (line, file) => /testing\/|\.test\.ts$/.test(importOf(line, file)) || /from "bun:test"/.test(line),
    except: { "server/tools/generate.ts": "describes the statements against a fresh database, as tests do" },
    broken: ["server/main.ts", 'import { testKenri } from "./testing/kenri.ts";'],
  },
  {
    says: "e2e knows the system from outside: it imports nothing of it",
    concerns: file => file.startsWith("e2e/"),
    forbids: line => /(from|import\() ?"\.\.\//.test(line),
    broken: ["e2e/sign_in.spec.ts", 'import { systems } from "../server/systems.ts";'],
  },
  {
    says: "the environment is read in kernel/config/config.ts only",
    concerns: isCode,
    forbids: line => /\b(process|Bun|import\.meta)\.env\b/.test(line),
    except: {
      "server/kernel/config/config.ts": "the one place",
      "server/tools/generate.ts": "a tool: which test server to describe against",
    },
    broken: ["server/entitlement/outbox/relay.ts", "const url = process.env.NATS_URL;"],
  },
  {
    says: "messages are answered in kernel/nats/subscription.ts only, from the handler's verdict",
    concerns: isCode,
    forbids: line => /\.(ack|nak|term|working|ackAck|respond)\(/.test(line),
    except: {
      "server/kernel/nats/subscription.ts": "the one place",
      "server/kernel/nats/pull.ts": "how an answer is sent",
      "server/kernel/nats/signed_answers.ts": "answers to questions, which are no messages of a stream",
    },
    broken: ["server/notification/intake/consumer.ts", "  message.ack();"],
  },
  {
    says: "only a room's own SQL writes its tables",
    concerns: isStatement,
    forbids: (line, file) =>
      [...tables].some(([room, names]) => room !== roomOf(file) && names.includes(written(line)) && !ofOperators.has(written(line))),
    broken: ["sql/notification/accept.sql", "update outbox_events set confirmed_at = now()"],
  },
  {
    says: "SQL that writes stands in sql/, one statement a file",
    concerns: isCode,
    forbids: line => [...tables.values()].flat().includes(written(line)) || /\b(create|alter|drop) table\b/i.test(line),
    except: { "server/kernel/postgres/migrations.ts": "the book of applied migrations is older than any statement" },
    broken: ["server/entitlement/outbox/relay.ts", "await sql`delete from outbox_events`;"],
  },
  {
    says: "tests and benches insert rows by the factories in server/testing, so that one place has all columns",
    concerns: file => isTest(file) || file.startsWith("bench/"),
    forbids: line => /\binsert into \$\{/i.test(line) || (/\binsert into /i.test(line) && factoryTables.includes(written(line))),
    except: {
      "server/testing/rows.ts": "the factory",
      "server/architecture.test.ts": "the rules",
    },
    broken: ["server/entitlement/outbox/claim.test.ts", "await pool`insert into outbox_events (event_id) values (uuidv7())`;"],
  },
  {
    says: "e2e fills the system through its API or by the seeding command: it opens no database",
    concerns: file => file.startsWith("e2e/"),
    forbids: line => /from "postgres"/.test(line),
    broken: ["e2e/lists.spec.ts", 'import postgres from "postgres";'],
  },
  {
    says: "time is kept by the kernel: no timer and no sleep elsewhere",
    concerns: isCode,
    forbids: line => /\b(setTimeout|setInterval|setImmediate|Bun\.sleep\w*)\(|node:timers/.test(line),
    except: {
      "server/kernel/life/loop.ts": "the one loop, and patience at the start",
      "server/kernel/life/deadline.ts": "the deadline of a call",
      "server/kernel/nats/ack_publisher.ts": "one timer for the deadlines of all publishes under way",
      "server/kernel/delivery/lease.ts": "renews what a worker holds, as long as it works",
      "server/kernel/life/worker_host.ts": "the pause before a crashed worker is started again",
      "server/kernel/postgres/migrations.ts": "a migration that gave way comes again",
      "server/kernel/http/tokens.ts": "the pause between two looks at the published keys",
      "server/kernel/life/vitals.ts": "measures how late a timer fires",
      "server/kernel/telemetry/log.ts": "lines of one turn of the event loop are written together",
      "server/kernel/life/role.ts": "a crash on purpose happens outside of the listener that heard of it",
      "server/main.ts": "the end of patience with a shutdown",
    },
    broken: ["server/notification/delivery/sender.ts", "  await Bun.sleep(100);"],
  },
  {
    says: "no any, no silenced compiler, nothing left to do, no barrel",
    concerns: file => file.startsWith("server/") && file !== "server/architecture.test.ts",
    forbids: line =>
      /:\s*any\b|\bas any(?=[;,)\]}.]|$)|<any\b|\bany\[\]|@ts-(ignore|nocheck|expect-error)|\bTODO\b|\bFIXME\b|\bXXX\b|export \* from/.test(
        line,
      ),
    broken: ["server/kernel/telemetry/log.ts", "const x = y as any;"],
  },
  {
    says: "no secret has a default",
    concerns: isCode,
    forbids: line =>
      /(password|secret|token|api_?key)\w*["']?\s*(?::|=|\?\?|\|\|)\s*["'`][^"'`$]+["'`]/i.test(line) ||
      /\/\/[^/\s:@"`]+:[^/\s:@"`$]+@/.test(line),
    broken: ["server/kernel/http/auth.ts", 'const password = "postgres";'],
  },
];

/** Where a rule is broken, as `file:line text`. */
function violations({ concerns, forbids, except = {} }: Rule, where: ReadonlyMap<string, string> = files): string[] {
  return [...where]
    .filter(([file]) => concerns(file) && !(file in except))
    .flatMap(([file, text]) => text.split("\n").flatMap((line, n) => (forbids(line, file) ? [`${file}:${n + 1} ${line.trim()}`] : [])));
}

describe.each(rules.map(rule => [rule.says, rule] as const))("%s", (_, rule) => {
  test("holds everywhere", () => expect(violations(rule)).toEqual([]));
  test("would be noticed if broken", () => {
    const [file, line] = rule.broken;
    expect(violations(rule, new Map([[file, `\n${line}`]]))).toEqual([`${file}:2 ${line.trim()}`]);
  });
  test("has no exception that is not needed any more", () => {
    const unneeded = Object.keys(rule.except ?? {}).filter(
      file => !(files.get(file) ?? "").split("\n").some(line => rule.forbids(line, file)),
    );
    expect(unneeded).toEqual([]);
  });
});

describe("the house", () => {
  test("is what these rules look at", () => {
    expect(rooms).toContain("entitlement");
    expect([...files.keys()].filter(isCode).length).toBeGreaterThan(50);
    expect(tables.get("notification")).toContain("notifications");
    expect(factoryTables).toContain("outbox_events");
  });

  test("has no room of the kernel that the order does not name, and no file beside the rooms", () => {
    expect(readdirSync(join(root, "server/kernel")).sort()).toEqual(kernelRooms.toSorted());
  });

  test("has no drawer for everything", () => {
    expect([...files.keys()].filter(file => /(^|[/_])(utils?|helpers?|common|manager|misc)([._]|$)/.test(file))).toEqual([]);
  });

  test("has a secret only where somebody sets it: no secret setting has a preset", () => {
    const secrets = listSettings(allSettings).filter(setting => setting.secret);
    expect(secrets.length).toBeGreaterThan(2);
    expect(secrets.filter(setting => setting.preset !== undefined)).toEqual([]);
  });

  test("lets every URL with a password be secret", () => {
    expect(listSettings(allSettings).filter(({ variable, secret }) => /(DATABASE|NATS|REDIS)_URL$/.test(variable) && !secret)).toEqual([]);
  });
});
