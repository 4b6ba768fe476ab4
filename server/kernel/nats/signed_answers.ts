import { errors, headers, type Msg, type NatsConnection } from "@nats-io/nats-core";
import { type Refusal, type Signatures, signatureHeader } from "./signatures.ts";

const nonceHeader = "Kenri-Nonce";

export interface Question<T> {
  readonly subject: string;
  readonly text: string;
  readonly deadline: number;
  readonly signatures: Signatures;
  /** What an answer says; undefined if it is none to this question. */
  readonly read: (answer: string) => T | undefined;
  /** Called for each answer that is not trusted, or says something else. */
  readonly refused: (refusal: Refusal) => void;
}

/** The answer, or that nobody is there to answer, or that no answer that counts came in time. */
export type Asked<T> = { readonly answer: T } | { readonly answer: undefined; readonly isNobodyThere: boolean };

/**
 * Asks over NATS. The answer is the first whose signature fits this very question; others are refused, and it waits on for the right one until the
 * deadline: whoever may subscribe to the subject can answer first. An earlier answer does not fit, because each question has a nonce of its own.
 */
export async function askSigned<T>(nats: NatsConnection, question: Question<T>): Promise<Asked<T>> {
  const { subject, text, deadline, signatures, read, refused } = question;
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64url");
  const asked = headers();
  asked.set(nonceHeader, nonce);
  try {
    const answers = await nats.requestMany(subject, text, { strategy: "timer", maxWait: deadline, noMux: true, headers: asked });
    for await (const message of answers) {
      const refusal = signatures.refusalOfAnswer(message.headers?.get(signatureHeader), [subject, nonce, text], message.data);
      const answer = refusal ? undefined : read(message.string());
      if (answer !== undefined) return { answer };
      refused(refusal ?? { fault: "malformed", reason: "malformed: it does not answer what was asked" });
    }
  } catch (error) {
    if (error instanceof errors.NoRespondersError) return { answer: undefined, isNobodyThere: true };
    throw error;
  }
  return { answer: undefined, isNobodyThere: false };
}

/** Answers a question, signed so that the answer fits no other one. */
export function answerSigned(question: Msg, subject: string, answer: string, signatures: Signatures): void {
  const data = new TextEncoder().encode(answer);
  const nonce = question.headers?.get(nonceHeader) ?? "";
  const signature = signatures.signAnswer([subject, nonce, question.string()], data);
  if (signature === undefined) return void question.respond(data);
  const signed = headers();
  signed.set(signatureHeader, signature);
  question.respond(data, { headers: signed });
}
