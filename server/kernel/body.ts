import { DeadlineError, within } from "./deadline.ts";
import { badRequest, Problem } from "./problem.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
// Nobody needs more, and the parser's recursion must not be what says no.
const maxDepth = 64;
// A body that trickles in holds a connection and nothing else.
const arrivesWithin = 10_000;

/** Reads a JSON body strictly: the media type, at most `limit` bytes (also when chunked), UTF-8 without BOM, no deep nesting, no broken strings. */
export async function readJson(request: Request, limit: number): Promise<unknown> {
  const mediaType = (request.headers.get("content-type") ?? "").split(";")[0]!.trim().toLowerCase();
  if (mediaType !== "application/json") throw new Problem(415, "UNSUPPORTED_MEDIA_TYPE", "send the body as application/json");
  return parseJson(await readText(request, limit));
}

async function readText(request: Request, limit: number): Promise<string> {
  const bytes = await within(arrivesWithin, "the client", readBytes(request, limit)).catch(error => {
    throw error instanceof DeadlineError ? new Problem(408, "REQUEST_TIMEOUT", `the body did not arrive within ${arrivesWithin / 1000} s`) : error;
  });
  try {
    return decoder.decode(bytes);
  } catch {
    throw badRequest("the body is not valid UTF-8");
  }
}

async function readBytes(request: Request, limit: number): Promise<Uint8Array> {
  const tooLarge = () => new Problem(413, "BODY_TOO_LARGE", `a body may have at most ${limit} bytes`);
  const declared = request.headers.get("content-length");
  if (declared !== null) {
    if (Number(declared) > limit) throw tooLarge();
    return request.bytes();
  }
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of (request.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.length;
    if (size > limit) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function parseJson(text: string): unknown {
  if (text.charCodeAt(0) === 0xfeff) throw badRequest("the body starts with a byte order mark; send plain UTF-8");
  if (nestingOf(text) > maxDepth) throw badRequest(`the body is nested deeper than ${maxDepth} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest("the body is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw badRequest("the body must be a JSON object");
  return value;
}

/** The deepest nesting, without parsing. */
function nestingOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 92) i++;
      else if (char === 34) inString = false;
    } else if (char === 34) inString = true;
    else if (char === 123 || char === 91) deepest = Math.max(deepest, ++depth);
    else if (char === 125 || char === 93) depth--;
  }
  return deepest;
}
