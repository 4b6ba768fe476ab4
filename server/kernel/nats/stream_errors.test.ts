import { expect, test } from "bun:test";
import { concernsMessage, describeError } from "./stream_errors.ts";

test.each([
  [503, 10077, "write /data/msgs/1.blk: no space left on device"],
  [503, 10077, "maximum bytes exceeded"],
  [503, 10077, "maximum messages exceeded"],
  [503, 10077, "open 1.blk: no such file or directory"],
  [503, 10077, "open 1.blk: read-only file system"],
  [503, 10023, "insufficient resources"],
  [503, 10008, "JetStream system temporarily unavailable"],
  [500, 10009, "JetStream cluster can not handle request"],
  [500, 10047, "insufficient storage resources available"],
  [500, 10028, "insufficient memory resources available"],
  [503, 10076, "JetStream not enabled"],
  [503, 10039, "JetStream not enabled for account"],
  [503, 10035, "account not found"],
  [500, 10118, "stream is offline"],
  [500, 10096, "stream not valid"],
  [404, 10059, "stream not found"],
  [400, 10109, "invalid operation on sealed stream"],
  [400, 10060, "expected stream does not match"],
  [400, 10002, "resource limits exceeded for account"],
  [400, 10025, "invalid JSON"],
  [400, 10120, "no JetStream default or applicable tiered limit present"],
  [400, 10122, "stream max bytes exceeds account limit max stream bytes"],
  [429, 10167, "too many requests"],
  [500, 19_999, "an error that is not known"],
  [503, undefined, "an error without a name"],
  [undefined, undefined, undefined],
] as const)("%p %p %p is an outage", (code, err_code, description) => {
  expect(concernsMessage({ ...(code && { code }), ...(err_code && { err_code }), ...(description && { description }) })).toBe(false);
});

test.each([
  [400, 10054, "message size exceeds maximum allowed"],
  [400, 10097, "header size exceeds maximum allowed of 64k"],
  [503, 10077, "message too large"],
  [400, 10070, "wrong last msg ID: 1"],
  [400, 10071, "wrong last sequence: 7"],
  [400, 10164, "wrong last sequence"],
  [503, 10063, "expected stream sequence does not match"],
  [503, 10163, "expected last sequence per subject temporarily unavailable"],
  [409, 10158, "duplicate message id is in process"],
  [400, 10165, "invalid per-message TTL"],
  [400, 10166, "per-message TTL is disabled"],
  [400, 10003, "bad request"],
  [400, 19_999, "an error that is not known"],
])("%p %p %p speaks of the message", (code, err_code, description) => {
  expect(concernsMessage({ code, err_code, description })).toBe(true);
});

test("an error keeps the words and the code of the server, without its folders", () => {
  const description =
    'error opening msg block file ["/data/jetstream/$G/streams/x/msgs/1.blk"]: open /data/x/1.blk: no such file or directory';
  expect(describeError({ code: 503, err_code: 10077, description })).toBe(
    'error opening msg block file ["1.blk"]: open 1.blk: no such file or directory (10077)',
  );
  expect(describeError({ code: 503, err_code: 10077, description: "maximum bytes exceeded" })).toBe("maximum bytes exceeded (10077)");
});
