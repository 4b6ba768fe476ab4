import type { Received, Verdict } from "../../kernel/nats/subscription.ts";
import { batchSpans, errorWord, type Tracer } from "../../kernel/telemetry/spans.ts";
import type { SourceDeclaration } from "./source.ts";

interface Readable<Event> {
  readonly message: Received;
  readonly event: Event;
}

export interface IntakeSpans<Event> {
  /** The events, in the order of the batch. Their notifications go on with the spans. */
  readonly events: readonly Event[];
  end(verdicts: readonly Verdict[]): void;
  fail(error: unknown): void;
}

/** The spans of a batch that is consumed: one in the trace of each notification, and one for the statement. Undefined if no trace is sampled. */
export function intakeSpans<Event>(
  tracer: Tracer,
  { tracesOf, inTraces }: Pick<SourceDeclaration<Event>, "tracesOf" | "inTraces">,
  readable: readonly Readable<Event>[],
): IntakeSpans<Event> | undefined {
  const members = readable.map(({ event, message }) => tracesOf(event, message.headers));
  const eventOf = members.flatMap((traces, index) => traces.map(() => index));
  const batch = batchSpans(
    tracer,
    "notification.intake",
    members.flat().map(member => ({ ...member, kind: "consumer" as const })),
  );
  if (!batch) return undefined;
  const { spans, end } = batch;
  let next = 0;
  return {
    events: readable.map(({ event }, index) =>
      inTraces(
        event,
        members[index]!.map(({ parent }) => spans[next++]?.traceparent ?? parent),
      ),
    ),
    end(verdicts) {
      end({}, index => ({ attributes: { "kenri.verdict": wordOf(verdicts[eventOf[index]!]) } }));
    },
    fail: error => end({ error: errorWord(error) }),
  };
}

const wordOf = (verdict: Verdict | undefined) => (typeof verdict === "object" ? "later" : verdict);
