import { describe, expect, test } from "bun:test";
import { createHmac } from "node:crypto";
import { readSettings } from "../config/config.ts";
import { kernelSettings } from "../config/settings.ts";
import { createSignatures, type Signable, signatureHeader } from "./signatures.ts";

const [old, next] = [
  { id: "2026-01", secret: "a".repeat(32) },
  { id: "2026-02", secret: "b".repeat(32) },
];
const message: Signable = {
  subject: "events",
  headers: { "Nats-Msg-Id": "1", event_type: "Granted", traceparent: "00-1" },
  data: new Uint8Array([1, 2, 3]),
};
const signedBy = (keys: Parameters<typeof createSignatures>[0], one: Signable = message): Signable => ({
  ...one,
  headers: { ...one.headers, [signatureHeader]: createSignatures(keys).sign(one)! },
});

describe("a signed message", () => {
  const signed = signedBy([old]);
  const signatures = createSignatures([old]);

  test("is trusted by a process that has the key among its keys", () => {
    for (const keys of [[old], [old, next], [next, old]]) expect(createSignatures(keys).refusalOf(signed)).toBeUndefined();
  });

  test("is signed with the first key, and names it", () => {
    expect(signedBy([next, old]).headers[signatureHeader]).toStartWith("v1 2026-02 ");
  });

  test("is an HMAC-SHA-256 of subject, headers and data, each field with its length", () => {
    const fields = "kenri event v1,7:6:events,11:Nats-Msg-Id,1:1,10:event_type,7:Granted,11:traceparent,4:00-1,";
    const expected = createHmac("sha256", old.secret).update(fields).update(message.data).digest("base64url");
    expect(signed.headers[signatureHeader]).toBe(`v1 2026-01 ${expected}`);
  });

  test("may have gathered headers of the NATS server", () => {
    const gathered = { ...signed, headers: { ...signed.headers, "Nats-Expected-Stream": "s", "Nats-Sequence": "7" } };
    expect(signatures.refusalOf(gathered)).toBeUndefined();
  });

  const header = (name: string, value: string): Signable => ({ ...signed, headers: { ...signed.headers, [name]: value } });
  const { event_type: _, ...without } = signed.headers;
  const changed: [what: string, message: Signable][] = [
    ["another subject", { ...signed, subject: "others" }],
    ["other data", { ...signed, data: new Uint8Array([1, 2, 4]) }],
    ["less data", { ...signed, data: new Uint8Array([1, 2]) }],
    ["another message id", header("Nats-Msg-Id", "2")],
    ["another header", header("event_type", "Revoked")],
    ["one header more", header("Kenri-Probe", "1")],
    ["one header less", { ...signed, headers: without }],
    ["a header that moved into its neighbour", { ...signed, headers: { ...without, "Nats-Msg-Id": "1,10:event_type,7:Granted" } }],
  ];
  test.each(changed)("with %s is forged", (_, forged) => {
    expect(signatures.refusalOf(forged)).toEqual({
      fault: "forged",
      reason: 'forged: its signature with the key "2026-01" is not of this content',
    });
  });

  test("that says the id of a known key but was signed with another is forged", () => {
    expect(signatures.refusalOf(signedBy([{ ...next, id: old.id }]))?.fault).toBe("forged");
  });

  test("of an unknown key names that key and the known ones", () => {
    expect(createSignatures([old]).refusalOf(signedBy([next]))).toEqual({
      fault: "unknown_key",
      reason: 'signed with the unknown key "2026-02": EVENT_SIGNING_KEYS has "2026-01"',
    });
  });

  test("without a signature, or with something else in its place, is not trusted", () => {
    expect(signatures.refusalOf(message)?.fault).toBe("unsigned");
    for (const other of ["x", "v1 2026-01", "v2 2026-01 ".padEnd(54, "A"), "v1 2026-01 ".padEnd(53, "A"), "v1 <b>x</b> ".padEnd(55, "A")])
      expect(signatures.refusalOf(header(signatureHeader, other))?.fault).toBe("malformed");
  });
});

test("without keys nothing is signed and everything is trusted", () => {
  const signatures = createSignatures();
  expect(signatures.sign(message)).toBeUndefined();
  expect(signatures.refusalOf(message)).toBeUndefined();
  expect(signatures.refusalOf(signedBy([old]))).toBeUndefined();
});

test("the signature of an answer fits no other question, no other answer, and no message", () => {
  const signatures = createSignatures([old]);
  const data = new TextEncoder().encode("[]");
  const signature = signatures.signAnswer(["nonce", "[1]"], data);
  expect(signatures.refusalOfAnswer(signature, ["nonce", "[1]"], data)).toBeUndefined();
  const others: [string[], Uint8Array][] = [
    [["other", "[1]"], data],
    [["nonce", "[2]"], data],
    [["nonce[1]"], data],
    [["nonce", "[1]"], new TextEncoder().encode("[1]")],
  ];
  for (const [about, answered] of others) expect(signatures.refusalOfAnswer(signature, about, answered)?.fault).toBe("forged");
  expect(signatures.refusalOfAnswer(signatures.sign({ subject: "nonce", headers: {}, data }), ["nonce"], data)?.fault).toBe("forged");
});

describe("EVENT_SIGNING_KEYS", () => {
  const read = (keys: string) =>
    readSettings({ kernel: kernelSettings }, { NATS_URL: "nats://x", EVENT_SIGNING_KEYS: keys }).kernel.signingKeys;

  test("is one key or several; a secret may hold a colon", () => {
    expect(read(`a:${old.secret}`)).toEqual([{ id: "a", secret: old.secret }]);
    expect(read(`a:${old.secret}, b-2:x:${next.secret}`)).toEqual([
      { id: "a", secret: old.secret },
      { id: "b-2", secret: `x:${next.secret}` },
    ]);
    expect(read("")).toBeUndefined();
  });

  test.each([
    ["no id", old.secret],
    ["an empty id", `:${old.secret}`],
    ["an id of other characters", `a b:${old.secret}`],
    ["a short secret", `a:${"x".repeat(31)}`],
    ["a second key that is short", `a:${old.secret},b:${"x".repeat(31)}`],
    ["an id twice", `a:${old.secret},a:${next.secret}`],
    ["a comma too many", `a:${old.secret},`],
    ["a line break", `a:${"x".repeat(20)}\n${"x".repeat(20)}`],
  ])("is refused with %s, says the form and shows no secret", (_, keys) => {
    expect(() => read(keys)).toThrow(/EVENT_SIGNING_KEYS=\(hidden\) is not allowed: expected id:secret.* at least 32 /);
  });
});
