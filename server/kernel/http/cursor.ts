import { createHmac, timingSafeEqual } from "node:crypto";
import { Type } from "@sinclair/typebox";
import { badRequest } from "./problem.ts";
import { pageLimit } from "./text.ts";

const notOfThisList = () => badRequest("the cursor is not one that this list gave out; start again without it");

/** List cursors: opaque to clients, signed, and bound to the list they came from. */
export function cursors(secret: Uint8Array) {
  const sign = (list: string, position: string) => createHmac("sha256", secret).update(`${list}\n${position}`).digest().subarray(0, 12);
  return {
    make: (list: string, position: string): string => Buffer.concat([sign(list, position), Buffer.from(position)]).toString("base64url"),
    read(list: string, cursor: string): string {
      const bytes = Buffer.from(cursor, "base64url");
      const position = bytes.subarray(12).toString();
      if (bytes.length < 13 || bytes.toString("base64url") !== cursor || !timingSafeEqual(bytes.subarray(0, 12), sign(list, position)))
        throw notOfThisList();
      return position;
    },
  };
}

export type Cursors = ReturnType<typeof cursors>;

export const pageQuery = {
  limit: Type.Optional(pageLimit("how many, 50 by default")),
  cursor: Type.Optional(Type.String({ maxLength: 500, description: "next_cursor of the page before" })),
};

export const limitOf = (query: { limit?: string }): number => Number(query.limit ?? 50);

/** What a UUID list starts below when there is no cursor. */
export const highestUuid = "ffffffff-ffff-ffff-ffff-ffffffffffff";

/** A place in a list that is ordered by a time, and by id among those of one time. */
export interface Place {
  readonly at: string;
  readonly id: string;
}

/** What such a list starts after. */
export const firstPlace: Place = { at: "-infinity", id: "00000000-0000-0000-0000-000000000000" };

/** As the position of a cursor. One that the list gave out when it had another order is refused. */
export const placeText = ({ at, id }: Place): string => `${id} ${at}`;
export function placeOf(position: string): Place {
  const [, id, at] = /^([0-9a-f-]{36}) (.+)$/.exec(position) ?? [];
  if (id === undefined || at === undefined) throw notOfThisList();
  return { id, at };
}
