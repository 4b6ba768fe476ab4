import { modePattern } from "../contracts/match_events.ts";
import { form, milliseconds } from "../kernel/config/config.ts";

/** `fifo`: the two that have waited longest. `rating`: the one that has waited longest, with the nearest rating inside a window that grows. */
export const strategies = ["fifo", "rating"] as const;
export type Strategy = (typeof strategies)[number];

/** A queue of its own. */
export interface Mode {
  readonly name: string;
  readonly strategy: Strategy;
  /** How long a ticket waits, in milliseconds. */
  readonly ttl: number;
}

export type Modes = ReadonlyMap<string, Mode>;

const longest = 3_600_000;

/** Modes as text: `name:strategy:ttl`, separated by commas. Undefined for another form. */
export function readModes(text: string): Modes | undefined {
  const modes = text.split(",").map(entry => {
    const [name = "", strategy, ttl = ""] = entry.trim().split(":");
    return { name, strategy: strategies.find(one => one === strategy), ttl: milliseconds(ttl) };
  });
  const isGood = modes.every(
    ({ name, strategy, ttl }) => modePattern.test(name) && strategy && Number.isInteger(ttl) && ttl >= 100 && ttl <= longest,
  );
  const byName = new Map(modes.map(mode => [mode.name, mode as Mode]));
  return isGood && byName.size === modes.length ? byName : undefined;
}

export const modesSetting = form(
  "MATCHMAKING_MODES",
  "the queues: name, strategy (fifo or rating) and how long a ticket waits, e.g. casual:fifo:60s, separated by commas",
  "casual:fifo:60s,rank:rating:60s",
  "name:strategy:ttl, or several of these separated by commas, each name once, e.g. casual:fifo:60s,rank:rating:60s",
  readModes,
);
