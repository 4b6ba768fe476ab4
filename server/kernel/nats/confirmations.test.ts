import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Msg, NatsConnection } from "@nats-io/transport-node";
import { until } from "../../../stack/wait.ts";
import { testNats } from "../../testing/kenri.ts";
import { connectTo } from "../../testing/nats.ts";
import { createHealth } from "../life/health.ts";
import { silentLog } from "../telemetry/log.ts";
import { createMetrics } from "../telemetry/metrics.ts";
import { confirmations } from "./confirmations.ts";
import { createSignatures } from "./signatures.ts";
import { answerSigned } from "./signed_answers.ts";

const signatures = createSignatures([{ id: "k", secret: "s".repeat(32) }]);
const about = {
  answerer: "the shop",
  question: (who: string) => `which parcels ${who} has`,
  answers: "arrived parcels",
  kept: "sent parcels",
};
let nats: NatsConnection;
beforeAll(async () => {
  nats = await connectTo(testNats());
});
afterAll(() => nats.close());

/** Asks about two parcels, and gets these answers. */
function asking(answers: (question: Msg, subject: string) => void) {
  const subject = `confirmations.${crypto.randomUUID()}`;
  const subscription = nats.subscribe(subject, { callback: (_, question) => answers(question, subject) });
  const [health, metrics] = [createHealth(), createMetrics()];
  const { ask, nothingToAsk } = confirmations({
    name: "parcels",
    broker: { connection: () => nats },
    subject,
    signatures,
    read: (answer, question: { readonly parcels: readonly string[] }) => question.parcels.find(parcel => parcel === answer),
    about,
    log: silentLog,
    health,
    metrics,
    deadline: 1000,
    reportFor: 3000,
  });
  return {
    ask: () => ask({ parcels: ["a", "b"] }),
    nothingToAsk,
    subscription,
    trouble: () => health.troubles().confirmation,
    metrics,
  };
}

const signed = (answer: string) => (question: Msg, subject: string) => answerSigned(question, subject, answer, signatures);
const unsigned = (question: Msg) => void question.respond("a");

test.concurrent("only a signed answer counts; health reports the others for a while, even if the right one came", async () => {
  let answers: (question: Msg, subject: string) => void = unsigned;
  const one = asking((question, subject) => answers(question, subject));
  expect(await one.ask()).toEqual({ answer: undefined, why: "every answer was refused (unsigned: it has no Kenri-Signature header)" });
  expect(one.trouble()).toMatch(
    /^1 answer with a wrong signature refused in the last minute, every answer was refused .*; sent parcels are kept$/,
  );
  answers = (question, subject) => {
    unsigned(question);
    signed("b")(question, subject);
  };
  expect(await one.ask()).toEqual({ answer: "b" });
  expect(one.trouble()).toMatch(/^2 answers with a wrong signature refused in the last minute; sent parcels are kept$/);
  expect(await one.metrics.registry.metrics()).toMatch(/parcels_answers_refused_total\{reason="unsigned"\} 2/);
  answers = signed("a");
  expect(await one.ask()).toEqual({ answer: "a" });
  await until("health is well again", 10_000, () => {
    one.nothingToAsk();
    return one.trouble() === undefined;
  });
});

test.concurrent("the question is sent as JSON, and an answer that does not fit it does not count", async () => {
  let text = "";
  const { ask } = asking((question, subject) => {
    text = question.string();
    signed("c")(question, subject);
  });
  expect(await ask()).toEqual({ answer: undefined, why: expect.stringContaining("does not answer what was asked") });
  expect(JSON.parse(text)).toEqual({ parcels: ["a", "b"] });
});

test.concurrent("no answerer and a late answer are two different reasons", async () => {
  const silent = asking(() => {});
  expect(await silent.ask()).toEqual({ answer: undefined, why: "the shop does not answer within 1 s which parcels it has" });
  silent.subscription.unsubscribe();
  await nats.flush();
  expect(await silent.ask()).toEqual({ answer: undefined, why: "nobody answers which parcels the shop has" });
  expect(silent.trouble()).toBe("nobody answers which parcels the shop has; sent parcels are kept");
});
