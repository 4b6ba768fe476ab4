import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Asker, type TestAccounts, type TestUser, testAccounts } from "../testing/accounts.ts";

let accounts: TestAccounts;
let ada: Asker;
const ids = new Map<string, string>();

/** Made in this order: the last is the newest. */
const people: [subject: string, email: string | null, name: string | null, roles: string[]][] = [
  ["ada", "ada@example.com", "Ada", ["ADMIN"]],
  ["otto", "otto@example.com", "Otto", ["OPERATOR"]],
  ["alice", "Alice@Example.com", "Alice Liddell", []],
  ["alina", "lina@example.com", "ALINA", []],
  ["percent", "100%@example.com", "_under", []],
  ["nameless", "al.nameless@example.com", null, []],
  ["mailless", null, "Álvaro", ["VIEWER"]],
];
beforeAll(async () => {
  accounts = await testAccounts();
  for (const [subject, email, name, roles] of people) {
    const { text } = await accounts.resolve({ provider: "p", subject, email, name, roles });
    ids.set(subject, (JSON.parse(text) as TestUser).user_id);
  }
  ada = { user_id: ids.get("ada")!, roles: ["ADMIN"] };
});
afterAll(() => accounts.close());

interface Page {
  readonly users: TestUser[];
  readonly next_cursor?: string;
}

const nameOf = (id: string) => [...ids].find(([, one]) => one === id)?.[0];

/** Everybody in a list, page by page. */
async function everybody(query: string, limit = 2): Promise<(string | undefined)[]> {
  const found: string[] = [];
  let cursor = "";
  for (let pages = 0; pages < 20; pages++) {
    const page = await accounts.get<Page>(ada, "GET", `/admin/users?${query}&limit=${limit}${cursor}`);
    found.push(...page.users.map(user => user.user_id));
    if (!page.next_cursor) return found.map(nameOf);
    cursor = `&cursor=${page.next_cursor}`;
  }
  throw new Error("the list has no end");
}

test("all users are listed newest first, page by page, each with all its fields", async () => {
  expect(await everybody("")).toEqual([...ids.keys()].reverse());
  const { users } = await accounts.get<Page>(ada, "GET", "/admin/users?limit=1");
  expect(users).toEqual([await accounts.get(ada, "GET", `/users/${ids.get("mailless")}`)]);
});

describe("a search finds users by a prefix of e-mail address or name", () => {
  test.each([
    ["al", ["nameless", "alice", "alina"]],
    ["AL", ["nameless", "alice", "alina"]],
    ["alice@example.com", ["alice"]],
    ["alice l", ["alice"]],
    ["lina", ["alina"]],
    [" otto ", ["otto"]],
    ["ál", ["mailless"]],
    ["100%", ["percent"]],
    ["%", []],
    ["_", ["percent"]],
    ["lice", []],
  ])("%j", async (search, found) => {
    for (const limit of [1, 2, 200])
      expect(new Set(await everybody(`search=${encodeURIComponent(search)}`, limit))).toEqual(new Set(found));
  });

  test("in the order of the matched value, each once in a page", async () => {
    expect(await everybody("search=al", 200)).toEqual(["nameless", "alice", "alina"]);
  });

  test("and continues at the right place if the last user changes meanwhile", async () => {
    const first = await accounts.get<Page>(ada, "GET", "/admin/users?search=al&limit=1");
    await accounts.get(ada, "PATCH", `/users/${ids.get("nameless")}`, { display_name: "Somebody" });
    const second = await accounts.get<Page>(ada, "GET", `/admin/users?search=al&limit=1&cursor=${first.next_cursor}`);
    expect(second.users.map(user => nameOf(user.user_id))).toEqual(["alice"]);
  });
});

test("users with a role and suspended users have lists of their own", async () => {
  expect(await everybody("role=ADMIN")).toEqual(["ada"]);
  expect(await everybody("role=OPERATOR")).toEqual(["otto"]);
  expect(await everybody("role=VIEWER")).toEqual(["mailless"]);
  expect(await everybody("status=SUSPENDED")).toEqual([]);
  for (const name of ["alice", "alina", "percent"])
    await accounts.get(ada, "POST", `/admin/users/${ids.get(name)}:suspend`, { reason: "r" });
  expect(await everybody("status=SUSPENDED")).toEqual(["percent", "alina", "alice"]);
  await accounts.get(ada, "POST", `/admin/users/${ids.get("alina")}:restore`, { reason: "r" });
  expect(await everybody("status=SUSPENDED")).toEqual(["percent", "alice"]);
});

test("a cursor is valid for its own list only", async () => {
  const { next_cursor } = await accounts.get<Page>(ada, "GET", "/admin/users?search=al&limit=1");
  for (const query of ["", "search=a", "role=ADMIN", "status=SUSPENDED"])
    expect((await accounts.ask(ada, "GET", `/admin/users?${query}&cursor=${next_cursor}`)).status).toBe(400);
});
