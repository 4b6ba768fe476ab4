import { afterAll, beforeAll, expect, test } from "bun:test";
import { DeliverPolicy, jetstream } from "@nats-io/jetstream";
import { until } from "../../../stack/wait.ts";
import { type TestKenri, testKenri } from "../../testing/kenri.ts";
import { putEvent } from "../../testing/operator_rows.ts";
import { operators } from "../../testing/operators.ts";
import { expectRefusal } from "../../testing/refusal.ts";
import { streamOf, withNats } from "../../testing/stream.ts";
import { type TestMint, testMint } from "../../testing/tokens.ts";

let mint: TestMint;
let kenri: TestKenri;
let eventId: string;
beforeAll(async () => {
  mint = await testMint();
  kenri = await testKenri({}, undefined, mint);
  await kenri.start("entitlement:api entitlement:relay");
  await kenri.grant("älice", "剣", { reason: "gift", purchase: "p_7" });
  const [row] = await kenri.entitlementSql`select event_id from outbox_events`;
  eventId = row?.event_id;
  await until("it is published", 20_000, async () => {
    const [event] = await kenri.entitlementSql`select status from outbox_events`;
    return event?.status === "PUBLISHED";
  });
});
afterAll(async () => {
  await kenri.close();
  await mint.close();
});

const ask = (role: string, id = eventId) =>
  operators(kenri, mint, { system: "entitlement", kind: "outbox" }).ask(role, "GET", `/ops/outbox/${id}/message`);

/** The first message of the stream, as anybody reads it. */
const published = () =>
  withNats(kenri, async nats => {
    const reader = await jetstream(nats).consumers.get(streamOf(kenri), { deliver_policy: DeliverPolicy.All });
    const message = await reader.next({ expires: 5000 });
    const headers = Object.fromEntries([...(message?.headers ?? [])].map(([name, values]) => [name, values.join()]));
    return { subject: message?.subject, headers, hex: Buffer.from(message?.data ?? []).toString("hex") };
  });

test("an event is shown byte for byte as it was published, with its headers and its decoded fields", async () => {
  const shown = JSON.parse((await ask("OPERATOR")).text);
  expect(shown).toMatchObject(await published());
  expect(shown.size).toBe(shown.hex.length / 2);
  expect(shown.decoded).toMatchObject([
    { number: 1, name: "event_id", type: "string", value: eventId },
    { name: "event_type", value: "EntitlementGranted" },
    { name: "occurred_at", type: "google.protobuf.Timestamp", value: expect.stringMatching(/^\d{4}-.*Z$/) },
    { name: "user_id", value: "älice" },
    { name: "stock_keeping_unit", value: "剣" },
    { name: "source", value: "gift" },
    { name: "source_id", value: "p_7" },
    { name: "version", type: "int64", value: "1" },
    { name: "trace_id", type: "string" },
  ]);
});

test("a viewer sees which fields there are, and none of their values", async () => {
  const { text } = await ask("VIEWER");
  const { hex, headers, decoded, subject } = JSON.parse(text);
  expect({ hex, user: decoded[3] }).toMatchObject({ hex: "•••", user: { name: "user_id", value: "•••" } });
  expect(headers.aggregate_key).toBe("•••");
  expect(subject).toBe(kenri.environment.ENTITLEMENT_SUBJECT);
  for (const word of ["älice", "剣", encodeURI("älice"), Buffer.from("älice").toString("hex")]) expect(text).not.toContain(word);
});

test("an event that cannot be encoded has the same error as in the relay", async () => {
  const id = await putEvent(kenri.entitlementSql, { state: "failed", user: "bob", error: "e", minutes: 1 });
  const answer = await ask("OPERATOR", id);
  expectRefusal(answer, { status: 409, code: "NOT_ENCODABLE" });
  expect(JSON.parse(answer.text).detail).toContain("the payload is not an event");
});

test("an event that was published again has the id of its generation", async () => {
  await kenri.entitlementSql`update outbox_events set publish_generation = 2 where event_id = ${eventId}`;
  expect(JSON.parse((await ask("ADMIN")).text).headers["Nats-Msg-Id"]).toBe(`${eventId}:r2`);
});

test("all others are refused", async () => {
  expectRefusal(await ask("USER"), { status: 403, code: "FORBIDDEN" });
  expectRefusal(await ask("OPERATOR", crypto.randomUUID()), { status: 404, code: "NOT_FOUND" });
  expectRefusal(await ask("OPERATOR", "x"), { status: 400, code: "INVALID_REQUEST", pointer: "/event_id" });
});
