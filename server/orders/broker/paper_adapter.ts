import type { Tracer } from "../../kernel/telemetry/spans.ts";
import type { Adapter, AskResult, Executed, NotExecuted, SendResult } from "./adapter.ts";
import { type Body, type Reply, tracedCall } from "./http_call.ts";
import { brokerCode } from "./reason_codes.ts";

export interface PaperOptions {
  readonly url: string;
  readonly token?: string | undefined;
  readonly sendWithin: number;
  readonly askWithin: number;
}

const unknownOrder = "UNKNOWN_ORDER";
// Nothing sends an order with this key: a stored key has a colon.
const noKey = "no-such-order";

/** The paper broker, and any broker with its HTTP interface. */
export function paperAdapter({ url, token, sendWithin, askWithin }: PaperOptions, tracer?: Tracer): Adapter {
  const call = tracedCall(tracer);
  const orders = `${url.replace(/\/+$/, "")}/orders`;
  const access: Record<string, string> = token === undefined ? {} : { authorization: `Bearer ${token}` };
  const read = (key: string, giveUp?: AbortSignal, traceparent?: string) =>
    call({
      method: "GET",
      url: `${orders}/${encodeURIComponent(key)}`,
      headers: access,
      within: askWithin,
      ...(giveUp ? { giveUp } : {}),
      traceparent,
    });
  return {
    name: "paper",
    async send({ key, ...order }, giveUp, traceparent) {
      const headers = { ...access, "content-type": "application/json", "idempotency-key": key };
      const body = JSON.stringify(order);
      const reply = await call({ method: "POST", url: orders, headers, body, within: sendWithin, giveUp, traceparent });
      return sendResult(reply, key);
    },
    ask: async (key, giveUp, traceparent) => askResult(await read(key, giveUp, traceparent), key),
    probe: async () => troubleIn(await read(noKey)),
  };
}

/**
 * An order is surely not executed only if the broker itself says so, by a status with a reason code in the body. The same status without one may come
 * from a proxy that has passed the order on.
 */
function sendResult(reply: Reply, key: string): SendResult {
  if (reply.outcome === "not_sent") return { ...reply, outcome: "retryable" };
  if (reply.outcome === "lost") return { ...reply, outcome: "unknown" };
  const { status, body } = reply;
  const wait = reply.retryAfter === undefined ? {} : { retryAfter: reply.retryAfter };
  if (!body)
    return { outcome: "unknown", code: "UNREADABLE_ANSWER", message: `the broker answered ${status} without a readable body`, ...wait };
  if (isAbout(body, key) === false) return { outcome: "unknown", ...otherKey };
  if (status >= 200 && status < 300) return executedBy(body) ?? { outcome: "unknown", code: "UNREADABLE_ANSWER", message: unclear(status) };
  const code = brokerCode(body.reason_code);
  const classOf = code === undefined ? "unknown" : (classes.get(status) ?? "unknown");
  return { outcome: classOf, code: code ?? `HTTP_${status}`, message: messageOf(body) ?? `the broker answered ${status}`, ...wait };
}

const classes: ReadonlyMap<number, "retryable" | "final"> = new Map([
  [400, "final"],
  [413, "final"],
  [415, "final"],
  [422, "final"],
  [401, "retryable"], // an operator mends the token
  [403, "retryable"],
  [429, "retryable"],
  [503, "retryable"],
]);

function askResult(reply: Reply, key: string): AskResult {
  if (reply.outcome !== "answered") return { outcome: "no_answer", code: reply.code, message: reply.message };
  const { status, body } = reply;
  const wait = reply.retryAfter === undefined ? {} : { retryAfter: reply.retryAfter };
  const none = (code: string, message: string): NotExecuted<"no_answer"> => ({ outcome: "no_answer", code, message, ...wait });
  if (!body) return none("UNREADABLE_ANSWER", `the broker answered ${status} without a readable body`);
  if (isAbout(body, key) === false) return none(otherKey.code, otherKey.message);
  const code = brokerCode(body.reason_code);
  // Only this code: a 404 of a proxy or of another path is no statement about the order.
  if (status === 404 && code === unknownOrder) return { outcome: "not_known", code, message: "the broker has no order with this key" };
  if (status !== 200) return none(code ?? `HTTP_${status}`, messageOf(body) ?? `the broker answered ${status}`);
  if (body.state === "received")
    return { outcome: "working", code: "WORKING", message: "the broker has the order and has not executed it yet" };
  if (body.state === "rejected")
    return { outcome: "final", code: code ?? "REJECTED", message: messageOf(body) ?? "the broker rejected the order" };
  return executedBy(body) ?? none("UNREADABLE_ANSWER", unclear(status));
}

/** What is wrong with a broker that answers a probe so. A proxy or a page in front of it may answer too, and a refused token executes nothing. */
function troubleIn(reply: Reply): string | undefined {
  if (reply.outcome !== "answered") return "the broker does not answer";
  const { status, body } = reply;
  if (status === 401 || status === 403) return `the broker refuses the token (${status}): check BROKER_TOKEN`;
  if (!body) return `the broker answers ${status} without a readable body`;
  if (status === 200 || (status === 404 && body.reason_code === unknownOrder)) return undefined;
  const code = brokerCode(body.reason_code);
  return `the broker answers ${code === undefined ? status : `${status} ${code}`}`;
}

const answerMembers = ["broker_order_id", "state", "price", "quantity", "executed_at"] as const;
const longestId = 255;

function executedBy(body: Body): Executed | undefined {
  const { broker_order_id: id, state } = body;
  if (typeof id !== "string" || id === "" || id.length > longestId || (state !== "filled" && state !== "open")) return undefined;
  const answer: Record<string, string | number> = {};
  for (const name of answerMembers) {
    const value = body[name];
    if (isPlain(value)) answer[name] = value;
  }
  return { outcome: "succeeded", brokerOrderId: id, answer };
}

const isPlain = (value: unknown): value is string | number =>
  (typeof value === "string" && value.length <= longestId) || typeof value === "number";

/** False if the answer names another order. */
const isAbout = (body: Body, key: string): boolean | undefined => (typeof body.key === "string" ? body.key === key : undefined);
const otherKey = { code: "OTHER_ORDER", message: "the broker answered about an order with another key" };
const unclear = (status: number) => `the broker answered ${status} without a state and an order id`;

const messageOf = ({ message }: Body): string | undefined =>
  typeof message === "string" && message !== "" ? message.slice(0, 500).toWellFormed() : undefined;
