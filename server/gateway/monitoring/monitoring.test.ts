import { afterAll, describe, expect, test } from "bun:test";
import { createLog } from "../../kernel/telemetry/log.ts";
import { type Monitoring, monitoring } from "./monitoring.ts";
import { prometheus } from "./prometheus.ts";

const log = createLog("silent", {});
type Respond = (path: string, request: Request) => Response | Promise<Response>;

let respond: Respond = () => new Response("", { status: 500 });
const asked: string[] = [];
const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    const { pathname } = new URL(request.url);
    asked.push(pathname);
    return respond(pathname, request);
  },
});
afterAll(() => server.stop(true));

const reader = (token?: string) => monitoring(prometheus({ url: server.url.origin, token, deadline: 200, log }), undefined);
function read(answer: Respond): Promise<Monitoring> {
  respond = answer;
  return reader()();
}

const sample = (name: string, slo: string, value: string) => ({ metric: { __name__: name, slo }, value: [1, value] });
const vector = (result: unknown[]) => Response.json({ status: "success", data: { resultType: "vector", result } });
const group = (lastEvaluation: string, alerts: unknown[] = [], name = "kenri-processes") => ({
  name,
  interval: 15,
  lastEvaluation,
  rules: [{ name: "KenriProcessDown", type: "alerting", health: "ok", labels: { severity: "page" }, alerts }],
});
const rules = (groups: unknown[]) => Response.json({ status: "success", data: { groups } });
const alert = (state: string, severity: string, activeAt: string, annotations: Record<string, string> = {}) => ({
  labels: { alertname: `Kenri${state}${severity}`, severity, system: "orders" },
  annotations: { summary: "It is down.", ...annotations },
  state,
  activeAt,
  value: "1e+00",
});
const justNow = () => new Date().toISOString();

describe("states of Prometheus", () => {
  test("without a URL it is off, and nothing is asked", async () => {
    asked.length = 0;
    expect(await monitoring(undefined, undefined)()).toMatchObject({ state: "off", objectives: [], alerts: [] });
    expect(asked).toEqual([]);
  });

  test.each<[string, Respond, string]>([
    ["that refuses the token", () => new Response("no", { status: 401 }), "it refuses the gateway (401): check PROMETHEUS_TOKEN"],
    ["at a wrong path", () => new Response("no", { status: 404 }), "it answers 404: check PROMETHEUS_URL"],
    ["that hangs", () => new Promise(() => {}), "it does not answer"],
    ["that redirects", () => Response.redirect("http://127.0.0.1:1/"), "it does not answer"],
    ["that is another server", () => new Response("<html>"), "the answer is not one of Prometheus"],
    ["with another form", () => Response.json({ data: { groups: "none" } }), "the answer is not one of Prometheus"],
    ["with a huge answer", () => new Response("x".repeat(5 * 1024 * 1024)), "an answer has more than 4194304 bytes"],
  ])("one %s is away, and the answer says why", async (_, answer, detail) => {
    expect(await read(answer)).toMatchObject({ state: "away", detail, objectives: [], alerts: [] });
  });

  test("one without Kenri's rules says so", async () => {
    const answer = await read(path => (path.endsWith("rules") ? rules([group(justNow(), [], "others")]) : vector([])));
    expect(answer.state).toBe("no_rules");
  });

  test("one without Kenri's alert rules says so, and still shows the objectives", async () => {
    const recording = {
      ...group(justNow(), [], "kenri-objectives"),
      rules: [{ name: "kenri:slo:objective", type: "recording", health: "ok" }],
    };
    const known = [sample("kenri:slo:objective", "grants", "0.99"), sample("kenri:slo:budget_remaining", "grants", "1")];
    const answer = await read(path => (path.endsWith("rules") ? rules([recording]) : vector(known)));
    expect(answer).toMatchObject({ state: "no_rules", objectives: [{ slo: "grants", state: "measured" }], alerts: [] });
  });

  test("a recording rule that cannot be evaluated is named too", async () => {
    const recording = {
      ...group(justNow(), [], "kenri-windows"),
      rules: [{ name: "kenri:sli_error:ratio1h", type: "recording", health: "err" }],
    };
    const answer = await read(path => (path.endsWith("rules") ? rules([group(justNow()), recording]) : vector([])));
    expect(answer).toMatchObject({ state: "ok", failing_rules: ["kenri:sli_error:ratio1h"] });
  });

  test("one that has not evaluated its rules for more than a minute is stale; a slow interval has more time", async () => {
    const ago = (seconds: number) => new Date(Date.now() - seconds * 1000).toISOString();
    const stateOf = async (...groups: unknown[]) => (await read(path => (path.endsWith("rules") ? rules(groups) : vector([])))).state;
    expect(await stateOf(group(ago(90)))).toBe("stale");
    expect(await stateOf(group(ago(30)))).toBe("ok");
    expect(await stateOf({ ...group(ago(90)), interval: 60 })).toBe("ok");
    // One group is too old, although another was evaluated just now; each has its own interval.
    expect(await stateOf(group(ago(1)), group(ago(90), [], "kenri-windows"))).toBe("stale");
    expect(await stateOf(group(ago(1)), { ...group(ago(800), [], "kenri-budgets"), interval: 300 })).toBe("ok");
    expect(await stateOf(group(ago(90)), { ...group(ago(1), [], "kenri-budgets"), interval: 300 })).toBe("stale");
    // Just started: it has not evaluated anything.
    expect(await stateOf(group("0001-01-01T00:00:00Z"))).toBe("ok");
  });

  test("operators share one read", async () => {
    respond = path => (path.endsWith("rules") ? rules([group(justNow())]) : vector([]));
    const shared = reader();
    asked.length = 0;
    const answers = await Promise.all([shared(), shared(), shared()]);
    expect(answers.map(({ state }) => state)).toEqual(["ok", "ok", "ok"]);
    expect(asked.filter(path => path.endsWith("rules"))).toHaveLength(1);
  });

  test("the token is sent", async () => {
    let given: string | null = null;
    respond = (_, request) => {
      given = request.headers.get("authorization");
      return rules([]);
    };
    await reader("the-token")();
    expect(given as string | null).toBe("Bearer the-token");
  });
});

describe("objectives", () => {
  test("tell good, no traffic, no data and a budget that is computed soon apart", async () => {
    const present = [
      ...["good", "young", "idle", "unknown"].map(slo => sample("kenri:slo:objective", slo, "0.99")),
      sample("kenri:slo:budget_remaining", "good", "-0.5"),
      sample("kenri:sli_error:ratio28d", "good", "0.015"),
      sample("kenri:sli_error:ratio1h", "young", "0"),
      sample("kenri:sli_error:ratio5m", "young", "NaN"),
    ];
    const since = ["good", "young", "idle"].map(slo => sample("", slo, "1700000000"));
    const answer = await read(async (path, request) => {
      if (path.endsWith("rules")) return rules([group(justNow())]);
      return vector(new URL(request.url).searchParams.get("query")!.includes("min_over_time") ? since : present);
    });
    expect(answer.objectives).toEqual([
      {
        slo: "good",
        objective: 0.99,
        state: "measured",
        budget_remaining: -0.5,
        error_28d: 0.015,
        error_1h: null,
        error_5m: null,
        since: "2023-11-14T22:13:20.000Z",
      },
      expect.objectContaining({ slo: "young", state: "soon", budget_remaining: null, error_1h: 0, error_5m: null }),
      expect.objectContaining({ slo: "idle", state: "no_traffic", since: "2023-11-14T22:13:20.000Z" }),
      expect.objectContaining({ slo: "unknown", state: "no_data", since: null }),
    ]);
  });

  test("are read although the first measurements cannot be", async () => {
    const answer = await read((path, request) => {
      if (path.endsWith("rules")) return rules([group(justNow())]);
      if (new URL(request.url).searchParams.get("query")!.includes("min_over_time")) return new Response("", { status: 503 });
      return vector([
        ...["grants", "idle"].map(slo => sample("kenri:slo:objective", slo, "0.99")),
        sample("kenri:slo:budget_remaining", "grants", "1"),
      ]);
    });
    const [grants, idle] = answer.objectives;
    expect([answer.state, grants, idle]).toMatchObject(["ok", { state: "measured", since: null }, { state: "unknown", since: null }]);
  });
});

describe("alerts", () => {
  const readAlerts = async (alerts: unknown[]) => {
    const found = group(justNow(), alerts);
    return read(path =>
      path.endsWith("rules") ? rules([found, group(justNow(), [alert("firing", "page", justNow())], "others")]) : vector([]),
    );
  };

  test("that fire come first, then those that wake somebody, then the oldest; those of others are left out", async () => {
    const [first, second] = ["2026-01-01T00:00:00.123456789Z", "2026-01-02T00:00:00Z"];
    const { alerts } = await readAlerts([
      alert("pending", "page", first),
      alert("firing", "ticket", first),
      alert("firing", "page", second),
      alert("inactive", "page", first),
    ]);
    expect(alerts.map(({ name, since }) => [name, since])).toEqual([
      ["Kenrifiringpage", "2026-01-02T00:00:00.000Z"],
      ["Kenrifiringticket", "2026-01-01T00:00:00.123Z"],
      ["Kenripendingpage", "2026-01-01T00:00:00.123Z"],
    ]);
    expect(alerts[0]!.labels).toEqual({ system: "orders" });
  });

  test("link to pages of the console and to http only", async () => {
    const linked = async (page: string, runbook: string) => {
      const { alerts } = await readAlerts([alert("firing", "page", justNow(), { page, runbook })]);
      return [alerts[0]!.page, alerts[0]!.runbook];
    };
    expect(await linked("/admin/outbox", "docs/runbook.md#nats-is-away")).toEqual([
      "/admin/outbox",
      { section: "nats is away", url: null },
    ]);
    expect(await linked("https://evil.example/admin/", "javascript:alert(1)#x")).toEqual([null, { section: "x", url: null }]);
    expect(await linked("/admin/../logout?x", "https://docs.example/r#a-b")).toEqual([
      null,
      { section: "a b", url: "https://docs.example/r#a-b" },
    ]);
  });

  test("are bounded, and the answer says how many are left out", async () => {
    const { alerts, alerts_left_out } = await readAlerts(Array.from({ length: 230 }, () => alert("firing", "page", justNow())));
    expect([alerts.length, alerts_left_out]).toEqual([200, 30]);
  });
});
