import { expect, test } from "bun:test";
import { knownMode, listOnly, readMatchmakingView } from "./view.ts";
import { matchLook, ticketLook } from "./words.ts";

test("an address is read, and what is unknown in it is ignored", () => {
  expect(readMatchmakingView({ mode: "rank", list: "INVALID", find: " abc " })).toEqual({ mode: "rank", list: "INVALID", find: "abc" });
  expect(readMatchmakingView({ mode: "", list: "MATCHED", find: 7, other: "x" })).toEqual({});
  expect(listOnly({ mode: "rank", find: "abc" })).toEqual({ mode: "rank" });
});

test("a mode that matchmaking does not have limits nothing", () => {
  expect(knownMode("rank", ["casual", "rank"])).toBe("rank");
  expect(knownMode("blitz", ["casual", "rank"])).toBeUndefined();
  expect(knownMode("blitz", undefined)).toBe("blitz");
});

const now = Date.UTC(2026, 0, 1, 12, 1);
const match = (state: "PAIRED" | "PUBLISHED" | "ANNOUNCED" | "VOID", second: number, why: string | null = null) =>
  matchLook({ state, paired_at: new Date(now - second * 1000).toISOString(), why }, now);

test("a match that is on its way for long, or cannot be published, looks like trouble", () => {
  expect(match("PAIRED", 1)).toEqual({ tone: "pending", word: "Paired" });
  expect(match("PAIRED", 1, "no stream")).toEqual({ tone: "retry", word: "Paired" });
  expect(match("PUBLISHED", 40)).toEqual({ tone: "retry", word: "Published" });
  expect(match("ANNOUNCED", 4000)).toEqual({ tone: "done", word: "Announced" });
  expect(match("VOID", 4000, "w").tone).toBe("failed");
});

test("an unknown state is an error, never a default", () => {
  expect(ticketLook({ status: "EXPIRED" }).tone).toBe("stale");
  expect(ticketLook({ status: "LOST" })).toEqual({ tone: "failed", word: "Unknown state LOST" });
});
