import { DeadlineError, withTimeout } from "../life/deadline.ts";
import { badRequest, Problem } from "./problem.ts";
import { isPlainJson } from "./request_headers.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
// No request of Kenri comes near.
const maxBytes = 65_536;
// Nobody needs more, and the parser's recursion must not be what says no.
const maxDepth = 64;

/** Reads a JSON body strictly: the media type, a bounded size (also when chunked) within a bounded time, UTF-8 without BOM, no deep nesting, no name twice. */
export async function readJson(request: Request, arrivesWithin: number, limit = maxBytes): Promise<unknown> {
  if (!isPlainJson(request.headers.get("content-type")))
    throw new Problem(415, "UNSUPPORTED_MEDIA_TYPE", "send the body as application/json in UTF-8, with one Content-Type", {
      headers: { accept: "application/json" },
    });
  return parseJson(await readText(request, limit, arrivesWithin));
}

async function readText(request: Request, limit: number, arrivesWithin: number): Promise<string> {
  const bytes = await withTimeout(arrivesWithin, "the client", readBytes(request, limit)).catch(error => {
    if (error instanceof DeadlineError)
      throw new Problem(408, "REQUEST_TIMEOUT", `the body did not arrive within ${arrivesWithin / 1000} s`);
    throw error instanceof Problem ? error : badRequest("the body cannot be read");
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
  const { depth, members } = shapeOf(text);
  if (depth > maxDepth) throw badRequest(`the body is nested deeper than ${maxDepth} levels`);
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw badRequest("the body is not valid JSON");
  }
  if (typeof value !== "object" || value === null || Array.isArray(value)) throw badRequest("the body must be a JSON object");
  if (membersOf(value) !== members) throw badRequest("the body names a field twice");
  return value;
}

/** The deepest nesting and the number of named members, without parsing. */
function shapeOf(text: string): { depth: number; members: number } {
  let depth = 0;
  let deepest = 0;
  let members = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 92) i++;
      else if (char === 34) inString = false;
    } else if (char === 34) inString = true;
    else if (char === 58) members++;
    else if (char === 123 || char === 91) deepest = Math.max(deepest, ++depth);
    else if (char === 125 || char === 93) depth--;
  }
  return { depth: deepest, members };
}

/** What is left of the members after parsing: of two with one name, the last. */
function membersOf(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  const inner = Object.values(value).reduce<number>((sum, one) => sum + membersOf(one), 0);
  return Array.isArray(value) ? inner : Object.keys(value).length + inner;
}
