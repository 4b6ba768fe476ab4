import type { AcceptParameters, AcceptRow, NotificationSql } from "../sql.gen.ts";

/** An event that has waited long enough for its predecessor, and the newest version of its pair as it was all that time. */
export interface Through {
  readonly version: number;
  readonly at: number;
}

type Pairs = Pick<AcceptParameters, "pair_key" | "let_through" | "through_at" | "run_first" | "run_last">;

export type Arrivals = Omit<AcceptParameters, keyof Pairs> & { readonly through: ReadonlyMap<string, Through> };

/** `isAfterGap`: it was consumed without its predecessor. */
export type Accepted = AcceptRow & { readonly isAfterGap: boolean };

/** Consumes a batch of events. What can be worked out of the batch alone is done here: accept.sql runs for every event. */
export async function acceptArrivals(sql: Pick<NotificationSql, "accept">, { through, ...events }: Arrivals): Promise<Accepted[]> {
  const versions = versionsByPair(events);
  const place = new Map(events.event_id.map((id, index) => [id, index]));
  const rows = await sql.accept({ ...events, ...pairsOf(versions, through) });
  return rows.map(row => {
    const index = place.get(row.event_id)!;
    const version = events.aggregate_version[index]!;
    const earlier = versions.get(events.aggregate_key[index]!)!.findLast(one => one < version) ?? 0;
    return { ...row, isAfterGap: !row.waiting && version > Math.max(row.before, earlier) + 1 };
  });
}

/** The versions of each pair, in order. */
function versionsByPair({ aggregate_key, aggregate_version }: Pick<AcceptParameters, "aggregate_key" | "aggregate_version">) {
  const versions = new Map<string, number[]>();
  for (const [index, key] of aggregate_key.entries()) versions.getOrInsertComputed(key, () => []).push(aggregate_version[index]!);
  for (const some of versions.values()) some.sort((a, b) => a - b);
  return versions;
}

function pairsOf(versions: ReadonlyMap<string, readonly number[]>, through: ReadonlyMap<string, Through>): Pairs {
  const pairs = [...versions].map(([key, some]) => {
    const { version, at } = through.get(key) ?? { version: 0, at: 0 };
    return { key, version, at, ...runOf(some.filter(one => one > version)) };
  });
  return {
    pair_key: pairs.map(({ key }) => key),
    let_through: pairs.map(({ version }) => version),
    through_at: pairs.map(({ at }) => at),
    run_first: pairs.map(({ first }) => first),
    run_last: pairs.map(({ last }) => last),
  };
}

/** The lowest versions without a gap. */
function runOf(versions: readonly number[]): { first: number; last: number } {
  const first = versions[0] ?? 0;
  let last = first;
  for (const version of versions) if (version === last + 1) last = version;
  return { first, last };
}
