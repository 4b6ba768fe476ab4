import type { ActionRequest } from "../../kernel/operator/row_actions.ts";
import type { Reprocessed, Reprocessing } from "../intake/reprocess.ts";
import type { Source } from "../intake/source.ts";
import type { NotificationSql } from "../sql.gen.ts";

/** Reads a raw dead letter again and consumes it, by the rules of the source that its stream belongs to. */
export async function reprocessRaw(
  sources: readonly Source[],
  { id, actor, reason }: ActionRequest,
  parts: Reprocessing,
): Promise<Reprocessed | { readonly outcome: "unknown" } | { readonly outcome: "unknown_stream"; readonly reason: string }> {
  const { raw_dead_letters } = parts.sql;
  const [letter] = await raw_dead_letters.find({ id });
  if (!letter) return { outcome: "unknown" };
  if (letter.reprocessed_at !== null) return { outcome: "taken_in" };
  const source = sources.find(one => one.consumer.stream === letter.stream);
  if (!source) return { outcome: "unknown_stream", reason: unknownStream(letter.stream, sources) };
  const result = await source.reprocess(letter, parts);
  if (result.outcome === "taken_in") await raw_dead_letters.reprocessed({ id, actor, reason });
  return result;
}

const unknownStream = (stream: string, sources: readonly Source[]) =>
  `it came from the stream ${JSON.stringify(stream)}, and notification reads ${sources.map(one => JSON.stringify(one.consumer.stream)).join(" and ")}`;

/** Deletes a raw dead letter; the audit keeps what it was. A second request gets the same answer. */
export async function discardRaw(
  sql: NotificationSql,
  { id, actor, reason }: ActionRequest,
): Promise<{ readonly outcome: "discarded" | "taken_in" | "unknown" }> {
  const [gone] = await sql.raw_dead_letters.discard({ id, actor, reason });
  if (gone) return { outcome: "discarded" };
  const [letter] = await sql.raw_dead_letters.find({ id });
  if (letter) return { outcome: "taken_in" };
  const [before] = await sql.operator_actions.latest({ subject: id.toLowerCase(), action: "raw_dead_letter.discard" });
  return { outcome: before ? "discarded" : "unknown" };
}
