import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { until } from "../../stack/wait.ts";
import { type Person, signedIn } from "../testing/browser.ts";
import { type Failing, notifications, outbox } from "../testing/failed.ts";
import { gatewayPlace, startGateway, type TestGateway } from "../testing/gateway.ts";
import { type TestKenri, type TestProcess, testKenri } from "../testing/kenri.ts";
import type { OperationView, Preview } from "../testing/operators.ts";

interface Stopped extends OperationView {
  readonly stop_reason: string | null;
  readonly waits: boolean;
}

let kenri: TestKenri;
let gateway: TestGateway;
let account: TestProcess;
const people: Record<string, Person> = {};
beforeAll(async () => {
  kenri = await testKenri({ BULK_CAP: "60", BULK_BATCH: "1", BULK_PACE: "100ms", BULK_CONFIRMED_FOR: "2s" });
  const place = await gatewayPlace();
  await kenri.start("entitlement:api entitlement:relay notification:api notification:sender", place.forServices);
  account = await kenri.start("account:api", place.forServices);
  gateway = await startGateway(kenri, place, { OPERATION_CONFIRM_EVERY: "200ms", SESSION_FRESH: "0ms" });
  for (const name of ["admin", "operator"]) people[name] = await signedIn(gateway, name);
}, 60_000);
afterAll(() => kenri.close());

async function send<T>(name: string, method: string, path: string, body?: unknown): Promise<T> {
  const answer = await (method === "GET"
    ? people[name]!.fetch(`${gateway.url}${path}`)
    : people[name]!.send(gateway.url, method, path, body));
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
}
const aboutOperator = (method: string, what: string, body: object) =>
  send("admin", method, `/admin/api/users/${people.operator!.userId}/${what}`, { reason: "r", ...body });

/** The requests of a person about the rows of a system, through the gateway. */
function work({ system, kind, table, id, sql }: Failing) {
  const base = `/admin/api/${system}`;
  const find = (operation_id: string) => send<Stopped>("admin", "GET", `${base}/operations/${operation_id}`);
  return {
    find,
    async start(name: string, error: string): Promise<Stopped> {
      const asked = { action: "requeue", filter: { error, status: "FAILED" } };
      const { set_hash, eligible } = await send<Preview>(name, "POST", `${base}/${kind}/bulk/preview`, asked);
      return send(name, "POST", `${base}/${kind}/bulk`, { ...asked, set_hash, expected: eligible, reason: "why" });
    },
    async reached(operation_id: string, isThere: (operation: Stopped) => boolean): Promise<Stopped> {
      await until(`operation ${operation_id} gets there`, 20_000, async () => isThere(await find(operation_id)));
      return find(operation_id);
    },
    async failedAmong(ids: readonly string[]): Promise<number> {
      const rows = await sql(
        kenri,
      )`select from ${sql(kenri)(table)} where ${sql(kenri)(id)} = any (${[...ids]}::uuid[]) and status = 'FAILED'`;
      return rows.length;
    },
  };
}
const hasBegun = ({ done }: Stopped) => done >= 2;
const isStopped = ({ status }: Stopped) => status === "STOPPED";

describe.each([[outbox], [notifications]] as [Failing][])("$system", failing => {
  const { start, reached, find, failedAmong } = work(failing);

  test("the bulk operation of a suspended person stops with a reason; another person does the rest", async () => {
    const ids = await failing.put(kenri, "suspended", 60, "while suspended");
    const { operation_id } = await start("operator", "while suspended");
    await reached(operation_id, hasBegun);
    await aboutOperator("POST", "suspend", {});
    const stopped = await reached(operation_id, isStopped);
    expect(stopped.stop_reason).toBe(`the account of user:${people.operator!.userId} was suspended`);
    expect([stopped.done < 60, await failedAmong(ids)]).toEqual([true, 60 - stopped.done]);
    const [noted] = await failing.sql(
      kenri,
    )`select actor, reason from operator_actions where subject = ${operation_id} and action = 'operation.stop'`;
    expect(noted).toMatchObject({ actor: "kenri", reason: stopped.stop_reason });
    const rest = await start("admin", "while suspended");
    expect(rest.total).toBe(60 - stopped.done);
    await reached(rest.operation_id, hasBegun);
    expect(await failedAmong(ids)).toBeLessThan(60 - stopped.done);
    expect(await find(operation_id)).toMatchObject({ status: "STOPPED", done: stopped.done });
    await send("admin", "POST", `/admin/api/${failing.system}/operations/${rest.operation_id}/cancel`, { reason: "seen enough" });
    await aboutOperator("POST", "restore", {});
  }, 60_000);

  test("so does the operation of a client whose API key is revoked or has expired", async () => {
    for (const end of ["revoked_at", "expires_at"]) {
      const client = `robot ${end}`;
      const key = await kenri.newKey(client, ["ops:read", "ops:write"]);
      const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
      const post = async (path: string, body: object) =>
        (await kenri.call(failing.system, path, { method: "POST", headers, body: JSON.stringify(body) })).json() as Promise<
          Preview & Stopped
        >;
      await failing.put(kenri, `robot-${end}`, 60, `by a robot, ${end}`);
      const asked = { action: "requeue", filter: { error: `by a robot, ${end}` } };
      const { set_hash, eligible } = await post(`/ops/${failing.kind}/bulk/preview`, asked);
      const { operation_id } = await post(`/ops/${failing.kind}/bulk`, { ...asked, set_hash, expected: eligible, reason: "r" });
      await reached(operation_id, hasBegun);
      const sql = failing.sql(kenri);
      await sql`update api_keys set ${sql(end)} = now() where client_id = ${client}`;
      const { stop_reason, done } = await reached(operation_id, isStopped);
      expect([stop_reason, done < 60]).toEqual([`the client ${client} has no valid API key with the scope ops:write any more`, true]);
    }
  }, 60_000);
});

describe("a person's bulk operation", () => {
  const { start, reached, find } = work(outbox);

  test("stops when they lose the role, or the role that this number of rows needs", async () => {
    await outbox.put(kenri, "role", 60, "without the role");
    const first = await start("operator", "without the role");
    await reached(first.operation_id, hasBegun);
    await aboutOperator("PUT", "roles", { roles: ["VIEWER"] });
    expect((await reached(first.operation_id, isStopped)).stop_reason).toEndWith("no longer has the role OPERATOR or ADMIN");

    await aboutOperator("PUT", "roles", { roles: ["ADMIN"] });
    await outbox.put(kenri, "cap", 90, "over the cap");
    const large = await start("operator", "over the cap");
    await reached(large.operation_id, hasBegun);
    await aboutOperator("PUT", "roles", { roles: ["OPERATOR"] });
    expect((await reached(large.operation_id, isStopped)).stop_reason).toEndWith(
      "no longer has the role ADMIN, which more than 60 rows take",
    );
  }, 60_000);

  test("waits while account is away and continues by itself", async () => {
    await outbox.put(kenri, "away", 500, "account is away");
    await aboutOperator("PUT", "roles", { roles: ["ADMIN"] });
    const { operation_id } = await start("operator", "account is away");
    await reached(operation_id, hasBegun);
    // Without account no person can sign in: this request uses an API key.
    const asked = async () => (await (await kenri.call("entitlement", `/ops/operations/${operation_id}`)).json()) as Stopped;
    account.kill("SIGSTOP");
    await until("it waits", 20_000, async () => (await asked()).waits);
    // A batch that began before ends after.
    let { done, status } = await asked();
    let steadyLooks = 0;
    const isSteady = async () => {
      const before = done;
      ({ done, status } = await asked());
      steadyLooks = done === before ? steadyLooks + 1 : 0;
      return steadyLooks >= 3;
    };
    await until("what was under way has ended", 5000, isSteady, 250);
    for (let looks = 0; looks < 30; looks++) expect([status, (await asked()).done]).toEqual(["RUNNING", done]);
    account.kill("SIGCONT");
    await until("it goes on", 20_000, async () => (await asked()).done > done);
    await people.operator!.send(gateway.url, "POST", `/admin/api/entitlement/operations/${operation_id}/cancel`, { reason: "enough" });
    expect((await find(operation_id)).waits).toBe(false);
  }, 60_000);
});
