/**
 * Erases a user's personal data in every system:
 *   bun run erase --user <id> --reason "ticket 4711"
 * It asks for the erasure in account's database (ACCOUNT_DATABASE_URL, as its owner), like the console does, and shows what each system does until all are
 * done. The work itself is done by the gateway and the systems, so it goes on if this command ends. Run again, it shows the erasure under way.
 */
import { userInfo } from "node:os";
import { parseArgs } from "node:util";
import { askForErasure } from "../account/erasures.ts";
import type { AccountSql, ErasuresFindRow } from "../account/sql.gen.ts";
import { ConfigError, readSettings, secretUrl } from "../kernel/config/config.ts";
import { textFault } from "../kernel/http/text.ts";
import { pause } from "../kernel/life/deadline.ts";
import type { ErasureReport } from "../kernel/operator/erasure_routes.ts";
import { connect } from "../kernel/postgres/database.ts";
import { bindStatements, readStatements } from "../kernel/postgres/statements.ts";
import { createMetrics } from "../kernel/telemetry/metrics.ts";

const help = `usage: npx bun run erase --user ID --reason TEXT [--by NAME] [--wait SECONDS]

  --user    the user's id; also one that only API clients know
  --reason  why; kept in the audit. Write no personal data into it
  --by      who asks, for the audit; by default the name of the login
  --wait    how long to wait for the end, in seconds; by default 600. 0: only ask, or show the state

What is erased, masked and kept: docs/privacy.md`;

const options = {
  user: { type: "string" },
  reason: { type: "string" },
  by: { type: "string", default: userInfo().username },
  wait: { type: "string", default: "600" },
  help: { type: "boolean", default: false },
} as const;

function readFlags() {
  try {
    return parseArgs({ options }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`);
    process.exit(1);
  }
}
const flags = readFlags();

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
// A gateway looks every few seconds. After this long without a report none seems to run.
const silentAfter = 60_000;

function required(flag: "user" | "reason"): string {
  const value = flags[flag] ?? "";
  const fault = textFault(value);
  if (fault) throw new ConfigError([`--${flag} ${fault}`]);
  return value;
}

const detailOf = ({ state, waiting_for, changed }: ErasureReport): string => {
  const counts = Object.entries(changed).map(([table, rows]) => `${table} ${rows}`);
  return state === "DONE"
    ? `done${counts.length > 0 ? ` (${counts.join(", ")})` : ""}`
    : `waiting for: ${waiting_for.join("; ") || "its next step"}`;
};

function show({ state, systems, changed, updated_at }: ErasuresFindRow): string {
  const lines = Object.entries(systems as unknown as Record<string, ErasureReport>).map(
    ([system, report]) => `${system}: ${detailOf(report)}`,
  );
  const own = { state: state as ErasureReport["state"], waiting_for: ["the other systems"], changed: changed as ErasureReport["changed"] };
  const isSilent = state !== "DONE" && Date.now() - Date.parse(updated_at) > silentAfter;
  const silence = isSilent ? [`nobody has worked on it since ${updated_at}: is gateway:api running?`] : [];
  return [...lines, `account: ${detailOf(own)}`, ...silence].join("\n");
}

async function erase(erasures: AccountSql["erasures"]): Promise<boolean> {
  const given = required("user");
  const user_id = uuid.test(given) ? given.toLowerCase() : given;
  const until = Date.now() + Number(flags.wait) * 1000;
  const asked = await askForErasure(erasures, { user_id, actor: `cli:${flags.by}`, reason: required("reason") }, true);
  if (!asked) throw new ConfigError(["the erasure could not be requested: others are requesting it; run the command again"]);
  console.log(`${asked.requested ? "requested" : "under way"}: the user becomes ${asked.pseudonym}`);
  for (let shown = ""; ; ) {
    const [found] = await erasures.find({ id: asked.pseudonym });
    const text = show(found!);
    if (text !== shown) console.log(text, "\n");
    shown = text;
    if (found!.state === "DONE") return true;
    if (Date.now() >= until) return false;
    await pause(500);
  }
}

async function main(): Promise<void> {
  if (flags.help) return console.log(help);
  if (!/^\d{1,6}$/.test(flags.wait)) throw new ConfigError(["--wait must be a number of seconds"]);
  required("user");
  required("reason");
  const { url } = readSettings({ url: secretUrl("ACCOUNT_DATABASE_URL", "account's database as its owner") });
  const sql = connect({ url, name: "kenri erase", max: 1, statementTimeout: 10_000 });
  try {
    const statements = bindStatements<AccountSql>(sql, readStatements(["kernel", "account"]), createMetrics(), 10_000);
    if (await erase(statements.erasures)) return;
    console.error("not done yet: it goes on; run the same command again to see the state");
    process.exitCode = 2;
  } finally {
    await sql.end({ timeout: 3 });
  }
}

try {
  await main();
} catch (error) {
  console.error((error as Error).message);
  process.exit(1);
}
