import { type Static, type TSchema, Type } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { withTimeout } from "../../kernel/life/deadline.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import { repeatsOf } from "../../kernel/telemetry/repeats.ts";

export interface PrometheusOptions {
  readonly url: string;
  readonly token: string | undefined;
  readonly deadline: number;
  readonly log: Log;
}

/** Prometheus cannot be read. The message is for operators: it has no address and no text of the driver. */
export class PrometheusAway extends Error {}

// Far more than Kenri's rules need. A Prometheus that others use too has more rules.
const mostBytes = 4 * 1024 * 1024;

const texts = Type.Record(Type.String(), Type.String());

const Vector = TypeCompiler.Compile(
  Type.Object({
    data: Type.Object({
      resultType: Type.Literal("vector"),
      result: Type.Array(Type.Object({ metric: texts, value: Type.Tuple([Type.Number(), Type.String()]) })),
    }),
  }),
);

const Rule = Type.Object({
  name: Type.String(),
  /** `alerting` or `recording`. */
  type: Type.String(),
  health: Type.String(),
  labels: Type.Optional(texts),
  alerts: Type.Optional(
    Type.Array(Type.Object({ labels: texts, annotations: Type.Optional(texts), state: Type.String(), activeAt: Type.String() })),
  ),
});
const Group = Type.Object({
  name: Type.String(),
  interval: Type.Number(),
  lastEvaluation: Type.String(),
  rules: Type.Array(Rule),
});
const Rules = TypeCompiler.Compile(Type.Object({ data: Type.Object({ groups: Type.Array(Group) }) }));

export type RuleGroup = Static<typeof Group>;
export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Reads a Prometheus by its HTTP API. Each read has a deadline and a limit of bytes; redirects are refused. */
export function prometheus({ url, token, deadline, log }: PrometheusOptions) {
  async function fetchText(path: string): Promise<{ text: string; now: number }> {
    const response = await fetch(`${url}${path}`, {
      headers: { accept: "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) },
      redirect: "error",
      signal: AbortSignal.timeout(deadline),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw new PrometheusAway(refusalOf(response.status));
    }
    // Its own clock, by which it dates its evaluations.
    return { text: await boundedText(response), now: Date.parse(response.headers.get("date") ?? "") || Date.now() };
  }

  async function read<T extends TSchema>(path: string, check: TypeCheck<T>): Promise<{ body: Static<T>; now: number }> {
    try {
      const { text, now } = await withTimeout(deadline + 100, "Prometheus", fetchText(path));
      const body: unknown = JSON.parse(text);
      if (!check.Check(body)) throw new PrometheusAway("the answer is not one of Prometheus");
      return { body, now };
    } catch (error) {
      repeatsOf(log).write("warn", { error, path: path.split("?")[0] }, "gateway.prometheus_failed");
      if (error instanceof PrometheusAway) throw error;
      throw new PrometheusAway(error instanceof SyntaxError ? "the answer is not one of Prometheus" : "it does not answer");
    }
  }

  return {
    /** The present samples of an expression. Values that are no number are left out. */
    async query(expression: string): Promise<Sample[]> {
      const { body } = await read(`/api/v1/query?query=${encodeURIComponent(expression)}`, Vector);
      return body.data.result
        .map(({ metric, value }) => ({ labels: metric, value: Number(value[1]) }))
        .filter(({ value }) => Number.isFinite(value));
    },
    /** The groups of rules, and the time of Prometheus. */
    async rules(): Promise<{ groups: readonly RuleGroup[]; now: number }> {
      const { body, now } = await read("/api/v1/rules", Rules);
      return { groups: body.data.groups, now };
    },
  };
}

export type Prometheus = ReturnType<typeof prometheus>;

const refusalOf = (status: number) =>
  status === 401 || status === 403
    ? `it refuses the gateway (${status}): check PROMETHEUS_TOKEN`
    : `it answers ${status}: check PROMETHEUS_URL`;

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    // Leaving the loop cancels the rest.
    if (size > mostBytes) throw new PrometheusAway(`an answer has more than ${mostBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}
