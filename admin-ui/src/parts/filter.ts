import type { Filter } from "../api/answers.ts";

export const filterNames = ["type", "user_id", "error", "fingerprint", "min_attempts", "created_from", "created_to"] as const;
export type FilterName = (typeof filterNames)[number];

export const labels: Record<FilterName, string> = {
  type: "type",
  user_id: "user",
  error: "error contains",
  fingerprint: "failure group",
  min_attempts: "attempts ≥",
  created_from: "created from",
  created_to: "created to",
};

/** Reads the filter of an address. Ignores values that the API would refuse, so that a partly invalid link still opens. */
export function readFilter(search: Record<string, unknown>, states: readonly string[], types: readonly string[]): Filter {
  const text = (name: string, most = 200) => {
    const value = search[name];
    return value === undefined || value === "" ? undefined : String(value).slice(0, most);
  };
  const oneOf = (name: string, among: readonly string[]) => among.find(one => one === search[name]);
  const time = (name: string) => {
    const at = new Date(String(search[name] ?? ""));
    return Number.isNaN(at.getTime()) ? undefined : at.toISOString();
  };
  const attempts = Number(search.min_attempts);
  return tidy({
    status: oneOf("status", states),
    type: oneOf("type", types),
    user_id: text("user_id"),
    error: text("error"),
    fingerprint: text("fingerprint"),
    min_attempts: Number.isInteger(attempts) && attempts >= 1 && attempts <= 100 ? attempts : undefined,
    created_from: time("created_from"),
    created_to: time("created_to"),
  });
}

type Loose<T> = { [Name in keyof T]?: T[Name] | undefined };

/** Removes unset fields, so that equal filters are equal objects. */
export function tidy(filter: Loose<Filter>): Filter {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined && value !== "")) as Filter;
}

/** The filter in words, where it cannot be edited. A state without a word shows its name. */
export function wordsOf(filter: Filter, states: readonly { readonly name: string; readonly word: string }[] = []): string {
  const { status, ...rest } = filter;
  const narrowing = Object.entries(rest).map(([name, value]) =>
    name === "only_missing" ? (value ? "only what notification lacks" : "all published") : `${labels[name as FilterName] ?? name} ${value}`,
  );
  return [
    ...(status ? [(states.find(({ name }) => name === status)?.word ?? status.replace("_", " ")).toLowerCase()] : []),
    ...narrowing,
  ].join(", ");
}

export const without = (filter: Filter, name: keyof Filter): Filter => tidy({ ...filter, [name]: undefined });
/** Whether the filter has more than a state. */
export const isNarrow = (filter: Filter): boolean => Object.keys(without(filter, "status")).length > 0;
