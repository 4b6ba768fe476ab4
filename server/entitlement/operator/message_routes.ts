import { Type } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { callerOf, type Requires } from "../../kernel/http/callers.ts";
import { notFound, Problem } from "../../kernel/http/problem.ts";
import { uuid } from "../../kernel/http/text.ts";
import { headersFor, signedMessage } from "../../kernel/nats/ack_publisher.ts";
import type { EventMessage } from "../../kernel/nats/publisher.ts";
import type { Signatures } from "../../kernel/nats/signatures.ts";
import { encodeMessage, fieldsOf } from "../event.ts";
import { maskFor } from "../masking.ts";
import type { EntitlementSql, OutboxFindRow } from "../sql.gen.ts";

/**
 * An event as the relay publishes it, encoded from its row in the same way: also before it is published, and if it cannot be. In a recorded trace each
 * publish has its own span in the header traceparent, and so its own signature.
 */
export const messageRoutes = (
  sql: EntitlementSql,
  requires: Requires,
  { stream, subject }: { stream: string; subject: string },
  signatures: Signatures,
) =>
  new Elysia({ normalize: false }).get(
    "/ops/outbox/:event_id/message",
    async ({ params, request }) => {
      const [event] = await sql.outbox.find({ id: params.event_id });
      if (!event) throw notFound("there is no such event in the outbox; confirmed events are deleted after a while");
      const { data, ...rest } = signedMessage(signatures, subject, encoded(event));
      const message = {
        subject,
        headers: headersFor(stream, rest),
        size: data.length,
        hex: Buffer.from(data).toString("hex"),
        decoded: fieldsOf(data),
      };
      return maskFor(callerOf(request), message);
    },
    {
      params: Type.Object({ event_id: uuid("the event") }),
      ...requires("ops:read"),
      detail: {
        summary: "An event as it is published",
        description:
          "Subject, headers, the bytes as hex, and the decoded fields. In a recorded trace the message itself has the span of its publish in traceparent, and a signature of that. 409 NOT_ENCODABLE if its payload is no event. Scope: ops:read.",
      },
    },
  );

function encoded(event: OutboxFindRow): EventMessage {
  try {
    return encodeMessage(event);
  } catch (error) {
    throw new Problem(409, "NOT_ENCODABLE", (error as Error).message);
  }
}
