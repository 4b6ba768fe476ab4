import { Type } from "@sinclair/typebox";
import { moment, text } from "../http/text.ts";

/** What the rows of a system may be asked by. */
export interface FilterWords {
  readonly statuses: readonly string[];
  readonly types: readonly string[];
}

const oneOf = (values: readonly string[], description: string) =>
  Type.Union(
    values.map(value => Type.Literal(value)),
    { description },
  );

/** Which rows a bulk action is about. An empty filter is refused: nobody means everything by leaving everything out. */
export const filterBody = ({ statuses, types }: FilterWords) =>
  Type.Object(
    {
      status: Type.Optional(
        oneOf(
          [...statuses, "RETRYING"],
          "only FAILED ones are touched, and to retry only RETRYING ones (PENDING after a failed attempt); the others are counted in the preview",
        ),
      ),
      type: Type.Optional(oneOf(types, "the type of the event")),
      user_id: Type.Optional(text("the user")),
      error: Type.Optional(text("a part of the last error, in upper or lower case")),
      fingerprint: Type.Optional(text("the fingerprint of the last error")),
      min_attempts: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: "at least so many attempts" })),
      created_from: Type.Optional(moment("from this time on")),
      created_to: Type.Optional(moment("before this time")),
    },
    { additionalProperties: false, minProperties: 1 },
  );
