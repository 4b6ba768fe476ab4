import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { parseVariables } from "./shared_statements.ts";
import { readStatements } from "./statements.ts";

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "kenri-rows-"));
});
afterEach(() => rmSync(root, { recursive: true }));

function write(files: Readonly<Record<string, string>>): void {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
}
const release = "-- Releases :many.\n-- $1 :id\n-- returns :id\nupdate :table set status = :'waiting' where :id = $1::uuid returning :id\n";
const binding = "\\set table parcels\n\\set id parcel_id\n\\set many parcels\n\\set waiting WAITING\n";
const read = () => readStatements(["shop"], root);
const refusal = () => {
  try {
    read();
    return "none";
  } catch (error) {
    return (error as Error).message;
  }
};

describe("a shared statement", () => {
  test("becomes a statement of each table's folder, with its header and names expanded and its casts untouched", () => {
    write({ "rows/release.sql": release, "shop/parcels/rows.psql": binding });
    expect(read()).toEqual([
      {
        file: "sql/rows/release.sql of sql/shop/parcels",
        path: ["parcels", "release"],
        text: "-- Releases parcels.\n-- $1 parcel_id\n-- returns parcel_id\nupdate parcels set status = 'WAITING' where parcel_id = $1::uuid returning parcel_id\n",
        parameters: [{ name: "parcel_id", nullable: false }],
        columns: [{ name: "parcel_id", nullable: false }],
      },
    ]);
  });

  test("of the folder bulk stays in it, and all come in the order of their paths", () => {
    write({
      "rows/bulk/start.sql": "-- returns :id\nselect :id from :table",
      "rows/release.sql": release,
      "shop/bulk/alone.sql": "-- returns a\nselect 1 as a",
      "shop/parcels/claim.sql": "-- returns a\nselect 1 as a",
      "shop/parcels/rows.psql": binding,
    });
    expect(read().map(({ path }) => path.join("."))).toEqual(["bulk.alone", "bulk.start", "parcels.claim", "parcels.release"]);
  });

  test("gives way to a plain file of its name", () => {
    const plain = "-- returns a\nselect 1 as a";
    write({
      "rows/release.sql": release,
      "rows/bulk/start.sql": "-- returns :id\nselect :'many' as :id from :table",
      "shop/parcels/release.sql": plain,
      "shop/parcels/rows.psql": "\\set table parcels\n\\set id parcel_id\n\\set many parcels\n",
    });
    expect(read().map(({ file, text }) => [file, text])).toEqual([
      ["sql/rows/bulk/start.sql of sql/shop/parcels", "-- returns parcel_id\nselect 'parcels' as parcel_id from parcels"],
      ["sql/shop/parcels/release.sql", plain],
    ]);
  });

  test("belongs to no system without a binding", () => {
    write({ "rows/release.sql": release, "shop/parcels/claim.sql": "-- returns a\nselect 1 as a" });
    expect(read().map(({ path }) => path.join("."))).toEqual(["parcels.claim"]);
  });
});

describe("a value", () => {
  test("for all tables holds unless a table sets its own, and may use other values, also those of the table", () => {
    write({
      "rows/rows.psql": "\\set waiting PENDING\n\\set open status in (:'waiting', :'held')\n",
      "rows/find.sql": "-- returns :id\nselect :id from :table where :open",
      "shop/parcels/rows.psql": "\\set table parcels\n\\set id parcel_id\n\\set held PACKING\n\\set waiting new\n",
    });
    expect(read()[0]!.text).toEndWith("select parcel_id from parcels where status in ('new', 'PACKING')");
  });

  test("is the rest of its line; indented lines continue it, comments are left out", () => {
    expect([
      ...parseVariables(
        "f",
        "-- Parcels.\n\\set user payload ->> 'user_id'\n\n\\set columns\n  id,        -- the key\n  -- and\n  name\n\\set none\n",
      ),
    ]).toEqual([
      ["user", "payload ->> 'user_id'"],
      ["columns", "id, name"],
      ["none", ""],
    ]);
  });

  test("as a literal has its quotes doubled", () => {
    write({
      "rows/find.sql": "-- returns a\nselect :'name' as a, ':' as b",
      "shop/parcels/rows.psql": "\\set name it's\n",
    });
    expect(read()[0]!.text).toEndWith("select 'it''s' as a, ':' as b");
  });
});

describe("a binding that does not fit is refused with its file and the variable", () => {
  const cases: [name: string, files: Record<string, string>, message: string][] = [
    [
      "a missing value",
      { "shop/parcels/rows.psql": binding.replace("\\set id parcel_id\n", "") },
      "sql/rows/release.sql: no value for :id of sql/shop/parcels; set it in sql/shop/parcels/rows.psql",
    ],
    [
      "a value that nothing uses",
      { "shop/parcels/rows.psql": `${binding}\\set hold PACKING\n` },
      "sql/shop/parcels/rows.psql: no statement of sql/rows uses :hold",
    ],
    [
      "a value that is set twice",
      { "shop/parcels/rows.psql": `${binding}\\set id x\n` },
      "sql/shop/parcels/rows.psql: line 5 sets id again",
    ],
    [
      "another line",
      { "shop/parcels/rows.psql": `${binding}\\get id x\n` },
      "sql/shop/parcels/rows.psql: line 5 is not \\set, a continuation or a comment: \\get id x",
    ],
    [
      "a value of itself",
      { "shop/parcels/rows.psql": binding.replace("parcels\n\\set id parcel_id", ":id\n\\set id :table") },
      "the value of :id uses itself: id → table → id",
    ],
    [
      "two tables of a system",
      { "shop/parcels/rows.psql": binding, "shop/letters/rows.psql": binding },
      "sql/shop: letters and parcels have a rows.psql; the bulk statements can have one table",
    ],
  ];
  test.each(cases)("%s", (_, files, message) => {
    write({ "rows/release.sql": release, ...files });
    expect(refusal()).toBe(message);
  });
});

test("a value for all tables that no shared statement uses is refused too", () => {
  write({ "rows/release.sql": release, "rows/rows.psql": "\\set held PACKING\n", "shop/parcels/rows.psql": binding });
  expect(refusal()).toBe("sql/rows/rows.psql: no statement of sql/rows uses :held");
});
