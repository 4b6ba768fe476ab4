import type { StreamRecord } from "../../kernel/nats/stream_checks.ts";
import type { EntitlementSql } from "../sql.gen.ts";

/** What entitlement knows of its stream is kept in the database, so that all its processes share it. */
export const streamRecord = (
  outbox: Pick<EntitlementSql["outbox"], "stream" | "observe" | "resend_lost">,
  stream: string,
): StreamRecord => ({
  async read() {
    const [recorded] = await outbox.stream({ stream });
    return recorded && { lastSeq: recorded.last_seq, resendBefore: recorded.resend_before };
  },
  async observe({ incarnation, lastSeq, knownLastSeq }) {
    const [seen] = await outbox.observe({ stream, incarnation, last_seq: lastSeq, known_last_seq: knownLastSeq });
    return { lost: seen!.lost, resendBefore: seen!.resend_before };
  },
  async resendLost(limit) {
    return (await outbox.resend_lost({ stream, limit })).length;
  },
});
