import { badRequest, Problem } from "./problem.ts";

const tokensOf = (value: string | null) => (value ?? "").split(",").map(token => token.trim().toLowerCase());
const isGiven = (token: string) => token !== "";

/**
 * Why a request that changes something cannot be served: one of its headers gives the body or the request a meaning that Kenri does not
 * implement. RFC 9110 lets a server ignore many headers, but not these. GET and HEAD have no body that is read.
 */
export function unsupportedMeaning({ method, headers }: Request): Problem | undefined {
  if (method === "GET" || method === "HEAD") return undefined;
  const encodings = tokensOf(headers.get("content-encoding")).filter(isGiven);
  if (encodings.some(encoding => encoding !== "identity"))
    return new Problem(415, "UNSUPPORTED_CONTENT_ENCODING", "the body is encoded; send it plain, without Content-Encoding", {
      headers: { "accept-encoding": "identity" },
    });
  // The server answers 100-continue itself.
  if (tokensOf(headers.get("expect")).some(expectation => isGiven(expectation) && expectation !== "100-continue"))
    return new Problem(417, "EXPECTATION_FAILED", "the only expectation that can be met is 100-continue; leave the header Expect out");
  if (headers.has("content-range")) return badRequest("a part of a body cannot be taken; send it whole, without Content-Range");
  // No answer has an ETag, so no named one can match.
  const matching = headers.get("if-match");
  if (matching !== null && matching.trim() !== "*")
    return new Problem(412, "PRECONDITION_FAILED", "nothing here has an ETag that If-Match could name; leave the header out");
  return undefined;
}

const parameterPattern = /;\s*([\w!#$%&'*+.^`|~-]+)=("(?:[^"\\]|\\.)*"|[^\s;,"]*)\s*/gy;

/** Whether a Content-Type is one `application/json` in UTF-8. Two header lines arrive as one, joined by a comma, and are refused. */
export function isPlainJson(contentType: string | null): boolean {
  const [, mediaType = "", parameters = ""] = /^\s*([^\s;,]+)\s*(.*)$/s.exec(contentType ?? "") ?? [];
  if (mediaType.toLowerCase() !== "application/json") return false;
  const read = [...parameters.matchAll(parameterPattern)];
  const isWhole = read.reduce((length, [whole]) => length + whole.length, 0) === parameters.length;
  const charsets = read.filter(([, name]) => /^charset\*?$/i.test(name!)).map(([, , value]) => value!.replaceAll('"', ""));
  return isWhole && charsets.every(charset => /^utf-?8$/i.test(charset)); // an extended charset* is never that
}
