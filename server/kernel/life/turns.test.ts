import { describe, expect, test } from "bun:test";
import { NoTurn, type TurnsOptions, turns } from "./turns.ts";

const made = (options: Partial<TurnsOptions> = {}) =>
  turns({ atOnce: 2, perOwner: 2, mostWaiting: 100, mostWaitingPerOwner: 100, wait: 60_000, ...options });
const settled = () => new Promise<void>(resolve => setImmediate(resolve));

/** Takes a turn and notes when it begins; `end` ends it. */
function taker(all: ReturnType<typeof turns>) {
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    take: (owner: string, name = owner) =>
      all.take(owner).then(
        end => {
          begun.push(name);
          ends.set(name, end);
          return "begun";
        },
        error => (error as Error).message,
      ),
    async end(name: string) {
      ends.get(name)!();
      await settled();
    },
  };
}

describe("turns", () => {
  test("begin at once while there are some, then in order, as others end", async () => {
    const { take, end, begun } = taker(made());
    const all = ["a", "b", "c", "d"].map(name => take("one", name));
    await settled();
    expect(begun).toEqual(["a", "b"]);
    await end("b");
    await end("a");
    await end("a"); // a second time it frees nothing
    expect([begun, await Promise.all(all)]).toEqual([["a", "b", "c", "d"], Array(4).fill("begun")]);
  });

  test("of one owner are no more than its share: another's go ahead, and owners alternate", async () => {
    const { take, end, begun } = taker(made({ perOwner: 1 }));
    for (const name of ["a1", "a2", "a3"]) void take("a", name);
    void take("b", "b1");
    void take("b", "b2");
    await settled();
    expect(begun).toEqual(["a1", "b1"]);
    await end("b1");
    expect(begun).toEqual(["a1", "b1", "b2"]);
    await end("a1");
    await end("b2");
    await end("a2");
    expect(begun).toEqual(["a1", "b1", "b2", "a2", "a3"]);
  });

  test("are refused when too many wait, of all or of one owner", async () => {
    const { take, end } = taker(made({ atOnce: 1, mostWaiting: 3, mostWaitingPerOwner: 2 }));
    const all = ["a", "a", "a", "a", "b", "c"].map((owner, n) => take(owner, `${owner}${n}`));
    await settled();
    for (const name of ["a0", "a1", "b4"]) await end(name);
    const told = "too many wait already";
    expect(await Promise.all(all)).toEqual(["begun", "begun", "begun", told, "begun", told]);
  });

  test("that do not come in time are refused, and not taken from the others", async () => {
    const all = made({ atOnce: 1, wait: 20 });
    const end = await all.take("a");
    expect(await all.take("b").catch(error => error)).toBeInstanceOf(NoTurn);
    end();
    expect([all.underWay(), all.waiting()]).toEqual([0, 0]);
    (await all.take("c"))();
  });
});
