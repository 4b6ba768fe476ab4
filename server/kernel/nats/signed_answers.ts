import { errors, headers, type Msg, type NatsConnection } from "@nats-io/nats-core";
import { headersOf } from "./message_headers.ts";
import { type Refusal, type Signatures, signatureHeader } from "./signatures.ts";

const nonceHeader = "Kenri-Nonce";
const formHeader = "Kenri-Answer-Form";

export interface Question<T> {
  readonly subject: string;
  readonly text: string;
  /** The newest form of answer that is understood. An older system does not know it and answers in the first form. */
  readonly form?: number | undefined;
  readonly deadline: number;
  readonly signatures: Signatures;
  /** The content of an answer; undefined if it does not answer this question. */
  readonly read: (answer: string) => T | undefined;
  /** Called for each answer that is not trusted or does not fit. */
  readonly refused: (refusal: Refusal) => void;
}

/** The answer, or none: nobody is there to answer, or no valid answer came in time. */
export type Asked<T> = { readonly answer: T } | { readonly answer: undefined; readonly isNobodyThere: boolean };

/**
 * Asks over NATS. The first answer whose signature fits this question counts. Others are refused, and it goes on waiting until the deadline, because
 * every subscriber of the subject can answer first. An answer to an earlier question does not fit, because each question has its own nonce.
 */
export async function askSigned<T>(nats: NatsConnection, question: Question<T>): Promise<Asked<T>> {
  const { subject, text, form, deadline, signatures, read, refused } = question;
  const nonce = Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString("base64url");
  const asked = headers();
  asked.set(nonceHeader, nonce);
  if (form !== undefined) asked.set(formHeader, String(form));
  try {
    const answers = await nats.requestMany(subject, text, { strategy: "timer", maxWait: deadline, noMux: true, headers: asked });
    for await (const message of answers) {
      const refusal = signatures.refusalOfAnswer(headersOf(message)[signatureHeader], [subject, nonce, text], message.data);
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

/** The newest form of answer that is understood by whoever asked. */
export const formAsked = (question: Msg): number => Number(question.headers?.get(formHeader) || 1);

/** Answers a question. The signature fits no other question. */
export function answerSigned(question: Msg, subject: string, answer: string, signatures: Signatures): void {
  const data = new TextEncoder().encode(answer);
  const nonce = question.headers?.get(nonceHeader) ?? "";
  const signature = signatures.signAnswer([subject, nonce, question.string()], data);
  if (signature === undefined) return void question.respond(data);
  const signed = headers();
  signed.set(signatureHeader, signature);
  question.respond(data, { headers: signed });
}
