import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { sendRaw } from "../../testing/raw_http.ts";
import { createHealth } from "../life/health.ts";
import { createLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { readJson } from "./body.ts";
import { outside, pathPattern, rewriteCustomMethods, verb } from "./custom_methods.ts";
import { httpApp } from "./http.ts";
import { openapiRoutes } from "./openapi.ts";

const metrics = createMetrics();
const health = createHealth();
health.state = "ready";
const parse = { parse: [({ request }: { request: Request }) => readJson(request, 5000), "json" as const] };
const routes = new Elysia({ normalize: false })
  .get("/things/:id", ({ params }) => params)
  .post(verb("/things", "count"), ({ body }) => ({ body }), parse)
  .post(verb("/things/:id", "open"), ({ params, query, body }) => ({ opened: params.id, query, body }), {
    ...parse,
    params: Type.Object({ id: Type.String() }),
  });
const app = httpApp({ log: createLog("silent", {}), metrics, health }).use(routes);
let url: string;
beforeAll(() => {
  openapiRoutes(app, { title: "things", description: "" });
  rewriteCustomMethods(app);
  app.listen({ port: 0, hostname: "127.0.0.1" });
  url = `http://127.0.0.1:${app.server?.port}`;
});
afterAll(() => app.stop(true));

async function send(method: string, path: string, body: RequestInit["body"] = '{"a":1}') {
  const json = { "content-type": "application/json" };
  const response = await fetch(url + path, method === "GET" ? {} : { method, body, headers: json });
  return { status: response.status, allow: response.headers.get("allow"), body: (await response.json()) as Record<string, unknown> };
}

describe("a path with a verb", () => {
  test.each([
    ["/things:count", { body: { a: 1 } }],
    ["/things%3Acount", { body: { a: 1 } }],
    ["/things%3acount/", { body: { a: 1 } }],
    ["/things/7:open", { opened: "7", query: {}, body: { a: 1 } }],
    ["/things/7%3Aopen?x=%3A&y=1", { opened: "7", query: { x: ":", y: "1" }, body: { a: 1 } }],
    ["/things/a%20b:open", { opened: "a b", query: {}, body: { a: 1 } }],
    ["/things/$&:open", { opened: "$&", query: {}, body: { a: 1 } }],
    ["/things/a:b:open", { opened: "a:b", query: {}, body: { a: 1 } }],
  ])("%s leads to its route", async (path, body) => {
    expect(await send("POST", path)).toEqual({ status: 200, allow: null, body });
  });

  test("takes a body that comes in pieces, and refuses one that is too large", async () => {
    const pieces = new ReadableStream({
      start(stream) {
        for (const piece of ['{"a"', ":1}"]) stream.enqueue(new TextEncoder().encode(piece));
        stream.close();
      },
    });
    expect((await send("POST", "/things:count", pieces)).body).toEqual({ body: { a: 1 } });
    expect((await send("POST", "/things:count", `{"a":"${"x".repeat(70_000)}"}`)).status).toBe(413);
  });

  test.each(["PUT", "GET", "DELETE"])("refuses %s with what it takes", async method => {
    expect(await send(method, "/things:count")).toMatchObject({
      status: 405,
      allow: "POST",
      body: { code: "METHOD_NOT_ALLOWED", instance: "/things:count" },
    });
  });

  test.each(["/thingsX", "/things:counts", "/things:", "/thingscount", "/things/7:open/more", "/things:open", "/other:count", "/:count"])(
    "%s is nowhere",
    async path => {
      expect(await send("POST", path)).toMatchObject({ status: 404, body: { code: "NOT_FOUND", instance: path } });
    },
  );

  test("is not to be had as it is inside", async () => {
    for (const path of ["/things/7/~open", "/things/7/~open/"])
      expect(await send("POST", path)).toMatchObject({ status: 404, body: { code: "NOT_FOUND", instance: path } });
    expect(await send("POST", "/things/~count")).toMatchObject({ status: 405, allow: "GET, HEAD" });
    expect((await send("GET", "/things/~count")).body).toEqual({ id: "~count" });
  });

  test.each([
    ["a short host", "/things/7:open", "x", 200, '"opened":"7"'],
    ["a way up, which is for the route to judge", "/things/..:open", "kenri", 200, '"opened":".."'],
    ["a host that is none", "/things/7:open", "a b:c", 400, '"instance":"/things/7:open"'],
    ["no host", "/things/7:open", "", 400, '"instance":"/things/7:open"'],
  ])("is not confused by %s", async (_, path, host, status, text) => {
    const bytes = `POST ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`;
    const answer = await sendRaw(url, bytes);
    expect(answer).toMatchObject({ status, text: expect.stringContaining(text) });
  });

  test("leaves other paths alone, also with a colon in them", async () => {
    expect((await send("GET", "/things/a:b")).body).toEqual({ id: "a:b" });
    expect(await send("POST", "/things/7:shut")).toMatchObject({ status: 405, allow: "GET, HEAD" });
  });

  test("is described, counted and compared as it is outside", async () => {
    const { paths } = (await send("GET", "/openapi.json")).body as { paths: Record<string, { post?: { parameters?: object[] } }> };
    expect(Object.keys(paths).toSorted()).toEqual(["/things/{id}", "/things/{id}:open", "/things:count"]);
    expect(paths["/things/{id}:open"]?.post?.parameters).toEqual([expect.objectContaining({ name: "id", in: "path" })]);
    const text = await metrics.registry.metrics();
    expect(text).toContain('route="/things/:id:open"');
    expect(text).not.toContain("/~");
    expect(outside(verb("/a", "b"))).toBe("/a:b");
    expect(pathPattern("/a.b/:c").test("/aXb/1")).toBe(false);
  });
});
