import { timingSafeEqual } from "node:crypto";
import type { IncomingMessage, ServerResponse } from "node:http";
import { isIP } from "node:net";
import { Refused } from "./paper_order.ts";

/** A response, or a connection that is cut without one. */
export type Answer = { readonly status: number; readonly headers?: Record<string, string>; readonly body: string } | "cut";

export const json = (status: number, value: object, headers: Record<string, string> = {}): Answer => ({
  status,
  headers: { "content-type": "application/json", ...headers },
  body: JSON.stringify(value),
});

export const problem = (status: number, reason_code: string, message: string, headers?: Record<string, string>): Answer =>
  json(status, { reason_code, message }, headers);

export function send(response: ServerResponse, answer: Answer): void {
  if (answer === "cut") return void response.socket?.destroy();
  const always = { "content-length": Buffer.byteLength(answer.body), "x-content-type-options": "nosniff", "cache-control": "no-store" };
  response.writeHead(answer.status, { ...always, ...answer.headers });
  response.end(answer.body);
}

const longestBody = 65_536;

export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    length += chunk.length;
    if (length > longestBody) throw new Refused(`The body is longer than ${longestBody} bytes.`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString("utf8");
}

/**
 * Whether a page of another site may have sent this. A page that points its own name at this address (DNS rebinding) has a name with a dot in `Host`;
 * people and services use an IP address or a plain name.
 */
export function isForeign({ method, headers }: IncomingMessage): boolean {
  const host = headers.host ?? "";
  const name = host.replace(/:\d+$/, "").replace(/^\[(.*)\]$/, "$1");
  if (name === "" || (isIP(name) === 0 && name.includes("."))) return true;
  if (method === "GET" || method === "HEAD") return false;
  const site = headers["sec-fetch-site"];
  if (site !== undefined && site !== "same-origin" && site !== "none") return true;
  return headers.origin !== undefined && headers.origin !== `http://${host}`;
}

export function hasToken({ headers }: IncomingMessage, token: string | undefined): boolean {
  if (token === undefined) return true;
  const [given, expected] = [Buffer.from(headers.authorization ?? ""), Buffer.from(`Bearer ${token}`)];
  return given.length === expected.length && timingSafeEqual(given, expected);
}
