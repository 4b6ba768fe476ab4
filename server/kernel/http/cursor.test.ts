import { describe, expect, test } from "bun:test";
import { cursors, firstPlace, placeOf, placeText } from "./cursor.ts";
import { Problem } from "./problem.ts";

const { make, read } = cursors(crypto.getRandomValues(new Uint8Array(32)));
const refusal = (work: () => unknown) => {
  try {
    return work();
  } catch (error) {
    return error instanceof Problem ? error.status : error;
  }
};

describe("a cursor", () => {
  test.each(["1", "01890000-0000-7000-8000-000000000000", "日本語\n🎁", "x".repeat(300)])("leads back to its position: %j", position => {
    expect(read("list", make("list", position))).toBe(position);
  });

  test("with any character changed, left out or added is refused", () => {
    const cursor = make("list", "12345");
    for (let n = 0; n < cursor.length; n++) {
      for (const other of ["A", "B", "_"])
        if (cursor[n] !== other) expect(refusal(() => read("list", `${cursor.slice(0, n)}${other}${cursor.slice(n + 1)}`))).toBe(400);
      expect(refusal(() => read("list", cursor.slice(0, n) + cursor.slice(n + 1)))).toBe(400);
      expect(refusal(() => read("list", `${cursor.slice(0, n)}A${cursor.slice(n)}`))).toBe(400);
    }
  });

  test.each([
    "",
    "A",
    "AAAA",
    "=",
    "..",
    "%",
    "кот",
    "A".repeat(17),
    "A".repeat(100_000),
    `${make("list", "1")}=`,
    ` ${make("list", "1")}`,
    `${make("list", "1")}\n`,
  ])("made up is refused: %#", made => {
    expect(refusal(() => read("list", made))).toBe(400);
  });

  test("of another list, or signed with another secret, is refused", () => {
    expect(refusal(() => read("other", make("list", "1")))).toBe(400);
    expect(refusal(() => read("list", cursors(new Uint8Array(32)).make("list", "1")))).toBe(400);
    expect(refusal(() => read("history a", make("history a\nb", "1")))).toBe(400);
  });
});

describe("a place in the order of a time", () => {
  test.each([firstPlace, { at: "2026-11-16 16:04:28.123456+00", id: "01890000-0000-7000-8000-000000000000" }])(
    "is a position and a place again: %j",
    place => {
      expect(placeOf(placeText(place))).toEqual(place);
    },
  );

  test("is not what a list in the order of ids gave out", () => {
    expect(refusal(() => placeOf("01890000-0000-7000-8000-000000000000"))).toBe(400);
  });
});
