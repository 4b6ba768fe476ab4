import { afterAll, beforeAll, expect, test } from "bun:test";
import { headers, type Msg, type NatsConnection } from "@nats-io/transport-node";
import { until } from "../../../stack/wait.ts";
import { testNats } from "../../testing/kenri.ts";
import { connectTo } from "../../testing/nats.ts";
import { createSignatures, type Refusal, signatureHeader } from "./signatures.ts";
import { answerSigned, askSigned } from "./signed_answers.ts";

const signatures = createSignatures([{ id: "k", secret: "s".repeat(32) }]);
let [asker, answerer] = [] as unknown as [NatsConnection, NatsConnection];
beforeAll(async () => {
  [asker, answerer] = await Promise.all([connectTo(testNats()), connectTo(testNats())]);
});
afterAll(async () => void (await Promise.all([asker.close(), answerer.close()])));

/** Asks on a subject that is answered so. */
async function asked({
  answer,
  deadline = 3000,
  keys = signatures,
}: {
  answer?: (question: Msg) => void;
  deadline?: number;
  keys?: typeof signatures;
}) {
  const subject = `answers.${crypto.randomUUID()}`;
  if (answer) answerer.subscribe(subject, { callback: (_, question) => answer(question) });
  await answerer.flush();
  const refusals: Refusal[] = [];
  const read = (text: string) => (text.startsWith("yes") ? text : undefined);
  const result = await askSigned(asker, { subject, text: "well?", deadline, signatures: keys, read, refused: one => refusals.push(one) });
  return { result, faults: refusals.map(({ fault }) => fault) };
}

const respond = (question: Msg, text: string, signature?: string) => {
  const map = headers();
  if (signature) map.set(signatureHeader, signature);
  question.respond(text, { headers: map });
};

test("the first answer with the right signature counts; unsigned, forged, foreign and earlier ones are refused, and it waits on", async () => {
  const recorded: Msg[] = [];
  const recorder = answerer.subscribe("_INBOX_test_role.>", { callback: (_, message) => void recorded.push(message) });
  await asked({ answer: question => answerSigned(question, question.subject, "yes, once", signatures) });
  const signed = () => recorded.find(message => message.headers?.has(signatureHeader));
  await until("it is recorded", 5000, () => signed() !== undefined);
  recorder.unsubscribe();
  const earlier = signed()!.headers!.get(signatureHeader);
  const event = signatures.sign({ subject: "x", headers: {}, data: new TextEncoder().encode("yes") })!;
  const { result, faults } = await asked({
    answer: question => {
      respond(question, "yes");
      respond(question, "yes", "v1 k nonsense");
      respond(question, "yes", event);
      respond(question, "yes, once", earlier);
      answerSigned(question, question.subject, "yes", createSignatures([{ id: "z", secret: "s".repeat(32) }]));
      answerSigned(question, question.subject, "no", signatures);
      answerSigned(question, question.subject, "yes, truly", signatures);
    },
  });
  expect(result).toEqual({ answer: "yes, truly" });
  expect(faults).toEqual(["unsigned", "malformed", "forged", "forged", "unknown_key", "malformed"]);
});

test("if only answers come that do not count, there is none at the deadline", async () => {
  const { result, faults } = await asked({ answer: question => respond(question, "yes"), deadline: 300 });
  expect(result).toEqual({ answer: undefined, isNobodyThere: false });
  expect(faults).toEqual(["unsigned"]);
});

test("the absence of a responder is known at once", async () => {
  expect((await asked({ deadline: 60_000 })).result).toEqual({ answer: undefined, isNobodyThere: true });
});

test("without keys the first answer that can be read counts", async () => {
  const keys = createSignatures();
  const answer = (question: Msg) => {
    respond(question, "no");
    answerSigned(question, question.subject, "yes", keys);
  };
  expect((await asked({ answer, keys })).result).toEqual({ answer: "yes" });
});
