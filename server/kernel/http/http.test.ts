import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { createHealth } from "../life/health.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { authenticator, newKey } from "./auth.ts";
import { readJson } from "./body.ts";
import { callerOf, requires } from "./callers.ts";
import { healthRoutes, publicHealthRoutes } from "./health_routes.ts";
import { httpApp } from "./http.ts";
import { openapiRoutes } from "./openapi.ts";
import { notFound } from "./problem.ts";
import { text } from "./text.ts";

const { key, keyId, secretSha256 } = newKey();

/** An app with one route that fails as the test says, and one with a body. */
function application({
  logRequests = "all",
  findKey = async (id: string) =>
    id === keyId ? { client_id: "shop", secret_sha256: secretSha256, scopes: ["ops:read"], live: true } : undefined,
} = {}) {
  const [health, metrics, logged] = [createHealth(), createMetrics(), [] as Record<string, unknown>[]];
  const requests: Record<string, unknown>[] = [];
  const log = Object.assign(Object.create(silentLog), {
    error: (fields: Record<string, unknown>) => logged.push(fields),
    info: (fields: Record<string, unknown>) => requests.push(fields),
  });
  const allowed = requires(authenticator(findKey), request => readJson(request, 5000));
  let fail: () => unknown = () => ({ fine: true });
  let databaseIs: "there" | "away" = "there";
  const app = httpApp({ log, metrics, health, logRequests, unlogged: ["/assets/:name"] });
  health.askDatabase = () => (databaseIs === "there" ? Promise.resolve() : Promise.reject(new Error("away")));
  app.use(publicHealthRoutes(health));
  const operators = healthRoutes(health, () => metrics.registry.metrics());
  app.use(
    new Elysia({ normalize: false })
      .get("/things/:id", () => fail())
      .get("/assets/:name", () => "x", { detail: { hide: true } })
      .post("/things", ({ body, request }) => ({ ...body, by: callerOf(request).clientId }), {
        body: Type.Object(
          { name: text("its name"), kind: Type.Optional(Type.Union([Type.Literal("big"), Type.Literal("small")])) },
          { additionalProperties: false },
        ),
        ...allowed("ops:read"),
      }),
  );
  openapiRoutes(app, { title: "Things", description: "For <tests>." });
  health.state = "ready";
  const ask = async (path: string, init: RequestInit = {}) => {
    const response = await app.handle(new Request(`http://localhost${path}`, init));
    const body = await response.text();
    return { status: response.status, headers: response.headers, body, json: body.startsWith("{") ? JSON.parse(body) : undefined };
  };
  return {
    ask,
    /** What the health port says. */
    async details() {
      const response = await operators.handle(new Request("http://localhost/readyz"));
      return { status: response.status, json: await response.json() };
    },
    health,
    metrics,
    logged,
    /** The requests that were logged; a line is written after its answer was sent. */
    async requests() {
      await new Promise(resolve => setImmediate(resolve));
      return requests;
    },
    failWith(how: () => unknown) {
      fail = how;
    },
    database(is: typeof databaseIs) {
      databaseIs = is;
    },
  };
}
const thrown = (error: unknown) => () => {
  throw error;
};
const post = { method: "POST", headers: { "content-type": "application/json", authorization: `Bearer ${key}` }, body: '{"name":"x"}' };

describe("every response", () => {
  test("has a request id: the caller's if it is valid, otherwise a new one", async () => {
    const { ask } = application();
    expect((await ask("/things/1", { headers: { "x-request-id": "abc-1.2:3" } })).headers.get("x-request-id")).toBe("abc-1.2:3");
    for (const given of ["a b", "a".repeat(101), '{"a":1}', "<script>"]) {
      const answered = (await ask("/nothing", { headers: { "x-request-id": given } })).headers.get("x-request-id");
      expect(answered).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  test("carries the trace on", async () => {
    const traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    for (const path of ["/things/1", "/nothing", "/livez"])
      expect((await application().ask(path, { headers: { traceparent } })).headers.get("traceparent")).toStartWith(
        traceparent.slice(0, 36),
      );
  });

  test("is counted with the status it had", async () => {
    const { ask, metrics, failWith } = application();
    await ask("/things/1");
    failWith(thrown(notFound("gone")));
    await ask("/things/1");
    await ask("/nothing");
    await ask("/things", { ...post, body: "{}" });
    await ask("/things", { ...post, headers: { ...post.headers, "content-encoding": "br" } });
    await new Promise(resolve => setImmediate(resolve));
    const counts = (await metrics.httpSeconds.get()).values
      .filter(value => value.metricName?.endsWith("_count"))
      .map(({ labels, value }) => [labels.method, labels.route, labels.status, value]);
    expect(counts).toEqual(
      expect.arrayContaining([
        ["GET", "/things/:id", "200", 1],
        ["GET", "/things/:id", "404", 1],
        ["GET", "unmatched", "404", 1],
        ["POST", "/things", "400", 1],
        ["POST", "/things", "415", 1],
      ]),
    );
  });
});

describe("of a request", () => {
  test("one line is logged with its route, status, duration, ids and caller, and nothing that was sent", async () => {
    const { ask, requests } = application();
    const headers = { ...post.headers, "x-request-id": "abc-1" };
    const answer = await ask("/things?x=hunter2", { ...post, headers });
    await ask("/things/hunter2?token=hunter2");
    const lines = await requests();
    expect(lines).toEqual([
      {
        method: "POST",
        route: "/things",
        status: 200,
        duration_ms: expect.any(Number),
        request_id: "abc-1",
        trace_id: answer.headers.get("traceparent")?.split("-")[1],
        client_id: "shop",
      },
      expect.objectContaining({ method: "GET", route: "/things/:id", status: 200 }),
    ]);
    expect(JSON.stringify(lines)).not.toContain("hunter2");
    expect(JSON.stringify(lines)).not.toContain(key);
  });

  test.each([
    ["an unknown path", "/hunter2", {}, "unmatched", 404],
    ["another method", "/things/1", { method: "DELETE" }, "unmatched", 405],
    ["an unknown caller", "/things", { method: "POST" }, "/things", 401],
    ["a bad body", "/things", { ...post, body: "{" }, "/things", 400],
    ["an encoded body", "/things", { ...post, headers: { ...post.headers, "content-encoding": "gzip" } }, "/things", 415],
    ["a parameter twice", "/things/1?a=1&a=2", {}, "/things/:id", 400],
    ["a broken escape", "/things/%E0", {}, "/things/:id", 400],
    ["a URL that is too long", `/things/${"x".repeat(9000)}`, {}, "/things/:id", 414],
  ])("that is refused (%s) one line is logged, too", async (_, path, init, route, status) => {
    const { ask, requests } = application();
    await ask(path, init);
    expect(await requests()).toMatchObject([{ route, status }]);
  });

  test("that fails unexpectedly, the error is logged with the request id, too", async () => {
    const { ask, failWith, logged, requests } = application();
    failWith(thrown(new TypeError("bug")));
    const answer = await ask("/things/1");
    expect(logged[0]?.request_id).toBe(answer.headers.get("x-request-id"));
    expect(await requests()).toMatchObject([{ status: 500, request_id: logged[0]?.request_id }]);
  });

  test("for health, the API description and assets nothing is logged", async () => {
    const { ask, requests } = application();
    for (const path of ["/livez", "/readyz", "/openapi", "/openapi.json", "/assets/x.js"]) await ask(path);
    expect(await requests()).toEqual([]);
  });

  const traceOf = (last: string) => ({ headers: { traceparent: `00-4bf92f3577b34da6a3ce929d${last}-00f067aa0ba902b7-01` } });
  test.each([
    ["off", []],
    ["errors", [404]],
    ["all", [200, 200, 404]],
    ["0.5", [200, 404]],
    ["0.01", [404]],
  ])("with LOG_REQUESTS=%s these are logged: %j", async (logRequests, expected) => {
    const { ask, requests } = application({ logRequests });
    await ask("/things/1", traceOf("10000000"));
    await ask("/things/1", traceOf("f0000000"));
    await ask("/nothing", traceOf("ffffffff"));
    expect((await requests()).map(({ status }) => status)).toEqual(expected);
  });
});

describe("an error", () => {
  test("that is unexpected is a 500 without details and is logged with its trace id", async () => {
    const { ask, failWith, logged } = application();
    failWith(thrown(new TypeError("secret of the house")));
    const { status, body, headers } = await ask("/things/1");
    expect([status, JSON.parse(body).code]).toEqual([500, "INTERNAL"]);
    expect(body).not.toContain("secret of the house");
    expect(headers.get("traceparent")).toContain(String(logged[0]?.trace_id));
    expect(logged[0]?.error).toBeInstanceOf(TypeError);
  });

  test.each([
    ["a closed connection", { code: "CONNECTION_CLOSED" }],
    ["a shutdown", { code: "57P01" }],
    ["a lock", { code: "55P03" }],
  ])("because the database is away (%s) is a 503 with Retry-After, wherever it happens", async (_, fields) => {
    const away = Object.assign(new Error("gone"), fields);
    const { ask, failWith, logged } = application({ findKey: () => Promise.reject(away) });
    failWith(thrown(away));
    for (const answer of [await ask("/things/1"), await ask("/things", post)])
      expect([answer.status, answer.headers.get("retry-after"), answer.json.code]).toEqual([503, "1", "UNAVAILABLE"]);
    expect(logged).toEqual([]);
  });

  test("that is unexpected while the caller is looked up is a 500, not a bad body", async () => {
    const { ask, logged } = application({ findKey: () => Promise.reject(new TypeError("bug")) });
    expect((await ask("/things", post)).status).toBe(500);
    expect(logged[0]?.error).toBeInstanceOf(TypeError);
  });

  test("because nothing is found is a 404, of the path or of the resource", async () => {
    const { ask, failWith } = application();
    failWith(thrown(notFound("there is no such thing")));
    expect((await ask("/things/1")).json).toMatchObject({ status: 404, detail: "there is no such thing" });
    expect((await ask("/nothing")).json).toMatchObject({ status: 404, detail: expect.stringContaining("nothing at this path") });
    expect((await ask("/things/1", { method: "DELETE" })).headers.get("allow")).toBe("GET, HEAD");
  });
});

test("a body is read only for an allowed caller", async () => {
  const { ask } = application();
  expect((await ask("/things", post)).json).toEqual({ name: "x", by: "shop" });
  expect((await ask("/things", { ...post, headers: { "content-type": "application/json" } })).status).toBe(401);
});

describe("health", () => {
  test("while it starts says what it waits for on the health port only, and accepts no request", async () => {
    const { ask, details, health } = application();
    Object.assign(health, { state: "starting", waitingFor: "the database" });
    expect([(await ask("/livez")).status, (await ask("/readyz")).status, (await ask("/things/1")).status]).toEqual([200, 503, 503]);
    expect(await details()).toEqual({ status: 503, json: { status: "starting", waiting_for: "the database" } });
    expect((await ask("/readyz")).json).toEqual({ status: "starting" });
    expect((await ask("/openapi.json")).status).toBe(200);
  });

  test("with its database away is 503; with trouble elsewhere it is degraded and works; the API's port reports no more than that", async () => {
    const { ask, details, health, database } = application();
    health.trouble("broker", "NATS is not connected");
    expect(await details()).toEqual({
      status: 200,
      json: { status: "degraded", database: "ok", degraded: { broker: "NATS is not connected" } },
    });
    expect([(await ask("/readyz")).status, (await ask("/readyz")).json]).toEqual([200, { status: "degraded" }]);
    health.fine("broker");
    expect((await details()).json).toEqual({ status: "ready", database: "ok" });
    expect((await ask("/readyz")).json).toEqual({ status: "ready" });
    database("away");
    expect(await details()).toEqual({ status: 503, json: { status: "unavailable", database: "away" } });
    expect((await ask("/readyz")).json).toEqual({ status: "unavailable" });
    expect([(await ask("/readyz")).status, (await ask("/livez")).status]).toEqual([503, 200]);
  });

  test("while it stops is 503, but requests that still come are answered and their connections closed", async () => {
    const { ask, health } = application();
    health.state = "stopping";
    expect((await ask("/readyz")).status).toBe(503);
    const last = await ask("/things/1");
    expect([last.status, last.headers.get("connection")]).toEqual([200, "close"]);
  });
});

describe("the API description", () => {
  test("is OpenAPI 3.1 and has every route with its body and security, but not the internal ones", async () => {
    const { json } = await application().ask("/openapi.json");
    expect(json).toMatchObject({
      openapi: "3.1.0",
      security: [{ apiKey: [] }],
      components: { securitySchemes: { apiKey: { scheme: "bearer" } } },
    });
    expect(Object.keys(json.paths)).toEqual(["/things/{id}", "/things"]);
    expect(json.paths["/things"].post.requestBody.content["application/json"].schema.properties.name.description).toContain(
      "its name; must be 1 to 200 characters",
    );
  });

  test("is a page too, with everything escaped, and without a script", async () => {
    const { body, headers } = await application().ask("/openapi");
    expect(body).toContain("For &lt;tests&gt;.");
    expect(body).toContain("POST /things");
    expect(headers.get("content-security-policy")).toContain("default-src 'none'");
    expect(body).not.toMatch(/https?:\/\/|<script|<link|@import|url\(/);
  });

  test("marks required fields, and lists optional ones", async () => {
    const { body } = await application().ask("/openapi");
    const rows = [...body.matchAll(/<tr><th scope="row">(.*?)<\/tr>/g)].map(([, row]) => row!.replace(/<[^>]+>/g, " ").replace(/ +/g, " "));
    expect(rows).toEqual([
      " id required path string ",
      expect.stringMatching(/^ name required body string its name; must be/),
      " kind body big or small ",
    ]);
  });
});
