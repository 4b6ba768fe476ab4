import { type TLiteral, type TSchema, type TUnion, Type } from "@sinclair/typebox";
import { attempts, moment, text } from "../http/text.ts";
import { aboutRetrying, eligibleState, listedStates, type RowKind, typeNames } from "./row_kind.ts";

/**
 * What operators filter rows by. It means the same in every list, count, group and bulk action: SQL's `matches_filter` takes the fields in this order.
 * Lists are signed by them too, so a new order would end every cursor.
 */
export const filterFields = ["status", "type", "user_id", "error", "fingerprint", "min_attempts", "created_from", "created_to"] as const;

type NumberField = "min_attempts";
type TextField = Exclude<(typeof filterFields)[number], NumberField>;

/** A field that is null is not filtered by. */
export type Filter = { readonly [name in TextField]: string | null } & { readonly [name in NumberField]: number | null };

/** In a query string a number is text. */
type Given = { readonly [name in TextField]?: string } & { readonly [name in NumberField]?: string | number };

const oneOf = (values: readonly string[], description: string) =>
  Type.Optional(Type.Union(values.map(value => Type.Literal(value)) as TLiteral<string>[], { description }) as TUnion<TLiteral<string>[]>);

const fields = <Attempts extends TSchema>(kind: RowKind, minAttempts: Attempts) => ({
  type: oneOf(typeNames(kind), `the type of the ${kind.one}`),
  user_id: Type.Optional(text(`the ${kind.columns.user.replace(/_id$/, "")}, exactly`)),
  error: Type.Optional(text("a part of the last error, in any case")),
  fingerprint: Type.Optional(text("the fingerprint of the last error, as in the groups")),
  min_attempts: Type.Optional(minAttempts),
  created_from: Type.Optional(moment("created at this time or later")),
  created_to: Type.Optional(moment("created before this time")),
});

/** The filter as parameters of a query string. Without statuses the status is no parameter. */
export const filterQuery = (kind: RowKind, statuses: readonly string[] = []) => ({
  ...(statuses.length > 0 ? { status: oneOf(statuses, `the state; ${aboutRetrying(kind)}`) } : {}),
  ...fields(kind, attempts("at least so many attempts")),
});

/** The filter of a bulk action, in a body. An empty filter is refused, because it would select every row. */
export const filterBody = (kind: RowKind) =>
  Type.Object(
    {
      status: oneOf(
        listedStates(kind),
        `only ${eligibleState(kind, "requeue").name} ones are changed, and by a retry only ${eligibleState(kind, "retry").name} ones; the others are counted in the preview. ${aboutRetrying(kind)}`,
      ),
      ...fields(kind, Type.Integer({ minimum: 1, maximum: 100, description: "at least so many attempts" })),
    },
    { additionalProperties: false, minProperties: 1 },
  );

export const filterOf = (given: Given): Filter =>
  Object.fromEntries(
    filterFields.map(name => [name, name === "min_attempts" && given[name] !== undefined ? Number(given[name]) : (given[name] ?? null)]),
  ) as unknown as Filter;

/** Whether it has a field other than the state. */
export const isNarrow = ({ status, ...others }: Filter) => Object.values(others).some(value => value !== null);
