import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { createHealth } from "../../kernel/life/health.ts";
import { createSignatures } from "../../kernel/nats/signatures.ts";
import { answerSigned } from "../../kernel/nats/signed_answers.ts";
import { silentLog } from "../../kernel/telemetry/log.ts";
import { createMetrics } from "../../kernel/telemetry/metrics.ts";
import { testNats } from "../../testing/kenri.ts";
import { connectTo } from "../../testing/nats.ts";
import { consumedAnswers } from "./consumed_answers.ts";

const signatures = createSignatures([{ id: "k", secret: "s".repeat(32) }]);
const [first, second, third] = Array.from({ length: 3 }, () => crypto.randomUUID()) as [string, string, string];
let nats: NatsConnection;
beforeAll(async () => {
  nats = await connectTo(testNats());
});
afterAll(() => nats.close());

/** Asks about two events, and gets these answers. */
function asking(answers: (question: Msg, subject: string) => void) {
  const subject = `taken-in.${crypto.randomUUID()}`;
  const subscription = nats.subscribe(subject, { callback: (_, question) => answers(question, subject) });
  const health = createHealth();
  const options = { subject, signatures, log: silentLog, health, metrics: createMetrics(), deadline: 1000 };
  const { ask } = consumedAnswers({ broker: { connection: () => nats }, ...options });
  return { ask: (inPassing = false) => ask([first, second], inPassing), subscription, trouble: () => health.troubles().confirmation };
}

const signed = (held: unknown) => (question: Msg, subject: string) => answerSigned(question, subject, JSON.stringify(held), signatures);

test.concurrent("a signed list of consumed events counts; a refused answer keeps the events", async () => {
  expect(await asking(signed([second])).ask()).toEqual({ held: new Set([second]) });
  expect(await asking(signed([first, second])).ask()).toEqual({ held: new Set([first, second]) });
  expect(await asking(signed({ held: [second], remembers_seconds: 60 })).ask()).toEqual({ held: new Set([second]), remembers: 60 });
  const forged = asking(question => void question.respond(question.data));
  expect(await forged.ask()).toEqual({ held: undefined, why: "every answer was refused (unsigned: it has no Kenri-Signature header)" });
  expect(forged.trouble()).toMatch(
    /^1 answer with a wrong signature refused in the last minute, every answer was refused .*; published events are kept$/,
  );
});

test.concurrent.each([
  ["an event that was not asked for", [first, third]],
  ["no list", { [first]: true }],
  ["nothing", null],
  ["a time that is none", { held: [first], remembers_seconds: "60" }],
])("an answer with %s does not count", async (_, held) => {
  expect(await asking(signed(held)).ask()).toMatchObject({
    held: undefined,
    why: expect.stringContaining("does not answer what was asked"),
  });
});

test.concurrent("no answerer and a late answer are two different reasons", async () => {
  const silent = asking(() => {});
  expect(await silent.ask()).toEqual({ held: undefined, why: "notification does not answer within 1 s which events it holds" });
  const quiet = asking(() => {});
  expect(await quiet.ask(true)).toMatchObject({ held: undefined });
  expect(quiet.trouble()).toBeUndefined(); // nothing waits for this answer
  silent.subscription.unsubscribe();
  await nats.flush();
  expect(await silent.ask()).toEqual({ held: undefined, why: "nobody answers which events notification holds" });
  expect(silent.trouble()).toBe("nobody answers which events notification holds; published events are kept");
});
