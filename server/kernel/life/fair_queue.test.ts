import { describe, expect, test } from "bun:test";
import { seeded } from "../../testing/random.ts";
import { fairQueue } from "./fair_queue.ts";

const item = (name: string) => ({ name });
const filled = (...names: string[]) => {
  const queue = fairQueue<{ name: string }>();
  const items = new Map(names.map(name => [name, item(name)]));
  for (const one of items.values()) queue.push(one.name[0]!, one);
  return { queue, items };
};
const takeAll = (queue: ReturnType<typeof filled>["queue"]) => {
  const names: string[] = [];
  for (let one = queue.take(); one; one = queue.take()) names.push(one.name);
  return names;
};

describe("a fair queue", () => {
  test("keeps the order of one owner", () => {
    expect(takeAll(filled("a1", "a2", "a3").queue)).toEqual(["a1", "a2", "a3"]);
  });

  test("lets the owners take turns", () => {
    expect(takeAll(filled("a1", "a2", "a3", "a4", "b1", "b2", "c1").queue)).toEqual(["a1", "b1", "c1", "a2", "b2", "a3", "a4"]);
  });

  test("forgets what is removed, wherever it stands", () => {
    const { queue, items } = filled("a1", "a2", "a3", "b1");
    for (const name of ["a1", "a3", "b1"]) expect(queue.remove(items.get(name)!)).toBe(true);
    expect([queue.remove(items.get("a1")!), queue.size(), queue.sizeOf("a"), queue.sizeOf("b")]).toEqual([false, 1, 1, 0]);
    expect([queue.newestOf("a")?.name, takeAll(queue), queue.size()]).toEqual(["a2", ["a2"], 0]);
  });

  test("knows the owner with the most, and its newest", () => {
    const { queue, items } = filled("a1", "b1", "b2", "b3");
    expect(queue.largest()).toEqual({ owner: "b", size: 3 });
    queue.remove(items.get("b3")!);
    expect(queue.newestOf("b")?.name).toBe("b2");
    expect(queue.drain().map(({ name }) => name)).toEqual(["a1", "b1", "b2"]);
    expect([queue.size(), queue.largest(), queue.take()]).toEqual([0, undefined, undefined]);
  });

  test("agrees with a plain list through thousands of steps", () => {
    const queue = fairQueue<{ name: string }>();
    const plain: { owner: string; one: { name: string } }[] = [];
    const next = seeded(11);
    for (let step = 0; step < 20_000; step++) {
      const [owner, what] = [`o${next(3)}`, next(100)];
      if (what < 55) {
        const one = item(`${step}`);
        queue.push(owner, one);
        plain.push({ owner, one });
      } else if (what < 85) {
        const taken = queue.take();
        const index = plain.findIndex(({ one }) => one === taken);
        // The first of its owner.
        expect(plain.findIndex(entry => entry.owner === plain[index]?.owner)).toBe(index);
        plain.splice(index, index < 0 ? 0 : 1);
      } else if (plain.length > 0) queue.remove(plain.splice(next(plain.length), 1)[0]!.one);
      expect(queue.size()).toBe(plain.length);
    }
    expect(queue.sizeOf("o1")).toBe(plain.filter(({ owner }) => owner === "o1").length);
  });
});
