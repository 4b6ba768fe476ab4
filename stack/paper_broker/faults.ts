import { Refused, readObject } from "./paper_order.ts";

const rates = ["drop_before", "too_many", "fail_503", "fail_500", "reject", "drop_after", "fail_500_after"] as const;
export type Rate = (typeof rates)[number];

/** What each fault does, in the order in which they are drawn. */
export const rateMeanings: Readonly<Record<Rate, string>> = {
  drop_before: "cut the connection before the order is recorded",
  too_many: "429 with Retry-After, nothing recorded",
  fail_503: "503, nothing recorded",
  fail_500: "500, nothing recorded",
  reject: "422, recorded as rejected",
  drop_after: "execute, then cut the connection without an answer",
  fail_500_after: "execute, then 500",
};

/** Rates from 0 to 1. They are kept in memory: a restart of the broker ends all faults. */
export interface Faults extends Partial<Record<Rate, number>> {
  /** The time between the record of an order and its execution: one number, or from and to. */
  delay_ms?: number | [from: number, to: number];
  /** The Retry-After of 429; 1 if absent. */
  retry_after_s?: number;
  /** Only orders of these symbols have the faults. */
  symbols?: string[];
  /** Questions about an order have drop_before, fail_503 and the delay too. */
  asks_too?: boolean;
}

const longestDelay = 600_000;
const longestRetryAfter = 86_400;

export function readFaults(text: string): Faults {
  const body = readObject(text, [...rates, "delay_ms", "retry_after_s", "symbols", "asks_too"]);
  const faults: Faults = {};
  for (const rate of rates) if (body[rate] !== undefined) faults[rate] = numberIn(rate, body[rate], 1);
  if (body.delay_ms !== undefined) faults.delay_ms = readDelay(body.delay_ms);
  if (body.retry_after_s !== undefined) faults.retry_after_s = Math.ceil(numberIn("retry_after_s", body.retry_after_s, longestRetryAfter));
  if (body.symbols !== undefined) faults.symbols = readSymbols(body.symbols);
  if (body.asks_too !== undefined) {
    if (typeof body.asks_too !== "boolean") throw new Refused("asks_too: send true or false.");
    faults.asks_too = body.asks_too;
  }
  return faults;
}

/** The fields of the page's form. An empty field is no fault. */
export function readFaultsForm(text: string): Faults {
  const form = new URLSearchParams(text);
  const field = (name: string) => form.get(name)?.trim() ?? "";
  const numbers = [...rates, "retry_after_s"].filter(name => field(name) !== "").map(name => [name, Number(field(name))]);
  const [from, to] = [field("delay_from") || "0", field("delay_to") || field("delay_from")];
  const symbols = field("symbols")
    .split(/[\s,]+/)
    .filter(Boolean);
  return readFaults(
    JSON.stringify({
      ...Object.fromEntries(numbers),
      ...(to ? { delay_ms: from === to ? Number(to) : [Number(from), Number(to)] } : {}),
      ...(symbols.length > 0 ? { symbols } : {}),
      ...(field("asks_too") ? { asks_too: true } : {}),
    }),
  );
}

export interface Dice {
  /** Draws one fault. */
  falls(rate: Rate): boolean;
  delay(): number;
}

/** The faults for one request. An order of another symbol has none. */
export function diceFor(faults: Faults, symbol: string | undefined): Dice {
  const concerned = faults.symbols === undefined || (symbol !== undefined && faults.symbols.includes(symbol));
  if (!concerned) return { falls: () => false, delay: () => 0 };
  const [from, to] = [faults.delay_ms ?? 0].flat() as [number, number?];
  return {
    falls: rate => Math.random() < (faults[rate] ?? 0),
    delay: () => from + Math.random() * ((to ?? from) - from),
  };
}

function numberIn(name: string, value: unknown, most: number): number {
  if (typeof value !== "number" || !(value >= 0 && value <= most)) throw new Refused(`${name}: send a number from 0 to ${most}.`);
  return value;
}

function readDelay(value: unknown): number | [number, number] {
  if (!Array.isArray(value)) return numberIn("delay_ms", value, longestDelay);
  const [from, to] = value.map(one => numberIn("delay_ms", one, longestDelay));
  if (value.length !== 2 || from! > to!) throw new Refused("delay_ms: send a number, or two of which the second is not smaller.");
  return [from!, to!];
}

function readSymbols(value: unknown): string[] {
  if (!Array.isArray(value) || value.length === 0 || value.some(one => typeof one !== "string")) {
    throw new Refused("symbols: send a list of symbols with at least one of them.");
  }
  return value as string[];
}
