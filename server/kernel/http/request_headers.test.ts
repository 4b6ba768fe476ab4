import { describe, expect, test } from "bun:test";
import { isPlainJson, unsupportedMeaning } from "./request_headers.ts";

const judged = (headers: Record<string, string>, method = "POST") =>
  unsupportedMeaning(new Request("http://localhost/", { method, headers }))?.status;

describe("a request is refused if it says of its body", () => {
  test.each(["gzip", "GZIP", "x-gzip", "deflate", "br", "zstd", "identity, gzip", "gzip, identity", "unheard-of", "*"])(
    "that its encoding is %s",
    encoding => {
      expect(judged({ "content-encoding": encoding })).toBe(415);
    },
  );
  test("that it is a part of one", () => expect(judged({ "content-range": "bytes 0-9/20" }, "PUT")).toBe(400));
  test("that something unknown is expected of us", () => expect(judged({ expect: "a-cup-of-tea" })).toBe(417));
  test("that it holds for one version of a resource only", () => expect(judged({ "if-match": '"v1"' }, "PATCH")).toBe(412));
});

const served: Record<string, string>[] = [
  { "content-encoding": "identity" },
  { "content-encoding": "Identity" },
  { "content-encoding": "" },
  { expect: "100-continue" },
  { expect: "100-Continue" },
  { "if-match": "*" },
  { "accept-encoding": "gzip" },
];
test.each(served)("a request with %j is served", headers => {
  expect(judged(headers)).toBeUndefined();
});

test("a request without a body that is read is served, whatever it says of one", () => {
  for (const method of ["GET", "HEAD"]) expect(judged({ "content-encoding": "gzip", "content-range": "x" }, method)).toBeUndefined();
});

test("a refusal of an encoding says which one is taken, and what to do", () => {
  const problem = unsupportedMeaning(new Request("http://localhost/", { method: "POST", headers: { "content-encoding": "gzip" } }));
  expect(problem?.options.headers).toEqual({ "accept-encoding": "identity" });
  expect(problem?.detail).toContain("without Content-Encoding");
});

test.each([
  "application/json",
  "Application/JSON ; charset=UTF-8",
  'application/json;charset="utf-8"',
  "application/json; charset=utf8",
  'application/json; profile="a;b, c"; charset=utf-8',
])("%j is plain JSON", type => {
  expect(isPlainJson(type)).toBe(true);
});

test.each([
  null,
  "",
  "text/plain",
  "multipart/form-data; boundary=x",
  "application/json-patch+json",
  "application/json; charset=utf-16",
  "application/json; charset=iso-8859-1",
  "application/json; charset=utf-8; charset=latin1",
  "application/json; charset=",
  "application/json; charset*=UTF-8''utf-16",
  "application/json, text/plain",
  "application/json; charset=utf-8, text/plain",
  "application/json; charset=utf-8, application/json",
  "application/json utf-8",
  'application/json; charset="utf-8',
])("%j is not", type => {
  expect(isPlainJson(type)).toBe(false);
});
