import { describe, expect, test } from "bun:test";
import { readJson } from "./body.ts";
import { Problem } from "./problem.ts";

type Body = NonNullable<RequestInit["body"]>;
const json = { "content-type": "application/json" };
const requestOf = (body: Body, headers: Record<string, string> = json) =>
  new Request("http://localhost/", { method: "POST", body: body, headers });
const read = (request: Request, limit?: number, arrivesWithin = 5000) => readJson(request, arrivesWithin, limit);
const outcome = (reading: Promise<unknown>) => reading.catch(error => (error instanceof Problem ? error.status : error));

const stream = (...chunks: string[]) =>
  new ReadableStream({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(new TextEncoder().encode(chunk));
      controller.close();
    },
  });

describe("a JSON body", () => {
  test("is read whole, also in pieces that cut a character", async () => {
    expect(await read(requestOf('{"a":"日本語"}'))).toEqual({ a: "日本語" });
    const bytes = new TextEncoder().encode('{"a":"🎁"}');
    const cut = new ReadableStream({
      start(controller) {
        controller.enqueue(bytes.slice(0, 8));
        controller.enqueue(bytes.slice(8));
        controller.close();
      },
    });
    expect(await read(requestOf(cut))).toEqual({ a: "🎁" });
  });

  test.each(["application/json", "Application/JSON", "application/json; charset=utf-8", " application/json ;x=y"])(
    "is taken as %j",
    async type => {
      expect(await read(requestOf("{}", { "content-type": type }))).toEqual({});
    },
  );

  test("may be exactly as large as the limit", async () => {
    const largest = `{"a":"${"x".repeat(92)}"}`;
    expect(await read(requestOf(largest), 100)).toHaveProperty("a");
    expect(await outcome(read(requestOf(`${largest} `), 100))).toBe(413);
    expect(await read(requestOf(stream(largest.slice(0, 50), largest.slice(50))), 100)).toHaveProperty("a");
    expect(await outcome(read(requestOf(stream(largest, " ")), 100))).toBe(413);
  });

  test("that keeps coming is not read beyond the limit", async () => {
    let pulled = 0;
    const endless = new ReadableStream({
      pull(controller) {
        pulled++;
        controller.enqueue(new Uint8Array(1000).fill(32));
      },
    });
    expect(await outcome(read(requestOf(endless), 10_000))).toBe(413);
    expect(pulled).toBeLessThan(30);
  });

  test("that does not come is given up after its time", async () => {
    expect(
      await outcome(read(requestOf(new ReadableStream({ start: controller => controller.enqueue(new Uint8Array([123])) })), 100, 50)),
    ).toBe(408);
  });

  test("may be nested, but not without end", async () => {
    const nested = (depth: number) => `{"a":${"[".repeat(depth - 1)}${"]".repeat(depth - 1)}}`;
    expect(await read(requestOf(nested(64)))).toHaveProperty("a");
    expect(await outcome(read(requestOf(nested(65))))).toBe(400);
    expect(await read(requestOf(JSON.stringify({ a: "[".repeat(1000) })))).toHaveProperty("a");
  });

  test.each(['{"a":1,"a":2}', '{"a":1,"\\u0061":2}', '{"x":{"b":1,"b":1}}', '{"x":[{"b":1},{"b":1,"b":2}]}', '{"":1,"":2}'])(
    "that names a field twice is refused: %s",
    async body => {
      expect(await outcome(read(requestOf(body)))).toBe(400);
    },
  );

  test.each(['{"a":"b:c","d":":"}', '{"x":[{"b":1},{"b":2}],"b":{"b":{}}}', '{"a\\":":1,"a":2}', '{"__proto__":{"a":1},"a":2}', "{}"])(
    "that only looks like it is taken: %s",
    async body => {
      expect(await read(requestOf(body))).toEqual(JSON.parse(body));
    },
  );
});

test("a body that breaks off is the caller's trouble", async () => {
  const broken = new ReadableStream({ pull: controller => controller.error(new Error("the socket is gone")) });
  expect(await outcome(read(requestOf(broken)))).toBe(400);
});
