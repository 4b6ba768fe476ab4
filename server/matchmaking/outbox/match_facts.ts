import { type Static, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";

const uuidPattern = "^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$";
const uuid = Type.String({ pattern: uuidPattern });
const uuids = new RegExp(uuidPattern);

/** Notification refuses other ids, and a whole question that has one. */
export const isUuid = (id: string): boolean => uuids.test(id);

const MatchFacts = Type.Object({
  session: uuid,
  paired_at: Type.Integer({ minimum: 1 }),
  players: Type.Array(
    Type.Object({
      user_id: Type.String({ minLength: 1 }),
      ticket_id: uuid,
      join_id: uuid,
      joined_at: Type.Integer({ minimum: 1 }),
      traceparent: Type.String(),
    }),
    { minItems: 2, maxItems: 2 },
  ),
});

/** The facts of a match, as the pairing script wrote them. Times are milliseconds. */
export type MatchFacts = Static<typeof MatchFacts>;

const facts = TypeCompiler.Compile(MatchFacts);

/** Throws if the text is not the event of a match. */
export function readFacts(event: string): MatchFacts {
  const read: unknown = JSON.parse(event);
  if (facts.Check(read)) return read;
  const wrong = facts.Errors(read).First();
  throw new Error(`it is not the event of a match: ${wrong?.path} ${wrong?.message.toLowerCase()}`);
}
