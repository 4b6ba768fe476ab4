import { expect, test } from "bun:test";
import { dump } from "./hex.ts";

const of = (bytes: Uint8Array | string) => dump(Buffer.from(bytes as string).toString("hex"));

test("a hex dump has sixteen bytes per line, in two halves, with their printable text", () => {
  expect(of("user \n<b>älice</b>")).toEqual([
    { offset: "000000", bytes: "75 73 65 72 20 0a 3c 62  3e c3 a4 6c 69 63 65 3c", text: "user ·<b>··lice<" },
    { offset: "000010", bytes: `${"2f 62 3e".padEnd(23)}  ${" ".repeat(23)}`, text: "/b>" },
  ]);
});

test("an empty message has no lines, and a large one is cut", () => {
  expect(of("")).toEqual([]);
  expect(of(new Uint8Array(100_000))).toHaveLength(256);
  expect(of(new Uint8Array(100_000)).at(-1)?.offset).toBe("000ff0");
});
