import { type Static, Type } from "@sinclair/typebox";
import { attributeText, mostAttributes } from "../../contracts/ticket_attributes.ts";
import { sha256 } from "../../kernel/http/auth.ts";
import { badRequest } from "../../kernel/http/problem.ts";
import { requestKey } from "../../kernel/http/text.ts";
import type { Mode } from "../modes.ts";
import { highestRating } from "./rating.ts";

const mostBytes = 2048;
const namePattern = /^[A-Za-z][\w.-]{0,63}$/;
// Names that mean something to JavaScript.
const refusedNames = new Set(["constructor", "prototype"]);

const attribute = Type.Union([
  attributeText("a text"),
  Type.Number({ minimum: -Number.MAX_SAFE_INTEGER, maximum: Number.MAX_SAFE_INTEGER }),
  Type.Boolean(),
]);

export const JoinBody = Type.Object(
  {
    party_size: Type.Literal(1, { description: "the number of players who join together; 1" }),
    attributes: Type.Object(
      {},
      {
        additionalProperties: attribute,
        maxProperties: mostAttributes,
        description: `what the game wants to say of the player: at most ${mostAttributes} texts, numbers and booleans by name; a mode by rating needs the number \`rating\`, 0 to ${highestRating}`,
      },
    ),
    idempotency_key: requestKey("the same key again gets the same ticket"),
  },
  { additionalProperties: false },
);

export type JoinRequest = Static<typeof JoinBody>;

const refusal = (pointer: string, detail: string) =>
  badRequest(`the body is not valid: ${pointer} ${detail}`, { errors: [{ pointer, detail }] });

/** A request to join in the form that is stored and compared. Refuses what the schema cannot. */
export function normalForm({ attributes, party_size }: JoinRequest, { name, strategy }: Mode) {
  const entries = Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1));
  const bad = entries.find(([one]) => !namePattern.test(one) || refusedNames.has(one));
  if (bad)
    throw refusal(
      "/attributes",
      `has a name that is not allowed: ${JSON.stringify(bad[0].slice(0, 100))}; a name is a letter, then up to 63 letters, digits, '_', '.' and '-'`,
    );
  const text = JSON.stringify(Object.fromEntries(entries));
  const bytes = Buffer.byteLength(text);
  if (bytes > mostBytes) throw refusal("/attributes", `has ${bytes} bytes as JSON; at most ${mostBytes} are allowed`);
  const rating = strategy === "rating" ? ratingOf(attributes, name) : undefined;
  return { attributes: text, rating, digest: sha256(`${party_size} ${text}`).toString("base64url") };
}

function ratingOf(attributes: Readonly<Record<string, unknown>>, mode: string): number {
  const { rating } = attributes;
  if (typeof rating !== "number" || rating < 0 || rating > highestRating)
    throw refusal("/attributes/rating", `must be a number from 0 to ${highestRating} in the mode ${mode}`);
  return rating;
}
