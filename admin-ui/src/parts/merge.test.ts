import { expect, test } from "bun:test";
import { mergeNewest } from "./merge.ts";

const timeOf = (row: string) => row;

test("two lists are merged, newest first", () => {
  const parts = [
    { rows: ["9", "5", "1"], hasMore: false },
    { rows: ["7", "6", "2"], hasMore: false },
  ];
  expect(mergeNewest(parts, timeOf)).toEqual(["9", "7", "6", "5", "2", "1"]);
});

test("rows that unloaded rows may precede are held back", () => {
  const parts = [
    { rows: ["9", "8"], hasMore: true },
    { rows: ["7", "3"], hasMore: false },
  ];
  expect(mergeNewest(parts, timeOf)).toEqual(["9", "8"]);
});

test("a list that failed to load does not hide the other one", () => {
  expect(
    mergeNewest(
      [
        { rows: ["4"], hasMore: true },
        { rows: [], hasMore: false },
      ],
      timeOf,
    ),
  ).toEqual(["4"]);
});
