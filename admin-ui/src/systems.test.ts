import { expect, test } from "bun:test";
import { join } from "node:path";
import { watchedSystems } from "./systems.ts";

interface Declared {
  readonly systems: readonly { readonly name: string; readonly serves: readonly string[] }[];
}

// Account has no workers, and no health for operators.
const unwatched = ["account"];

test("the console shows the health of every system that serves operators", async () => {
  // By its path: the types of the whole server do not fit those of a browser.
  const { systems } = (await import(join(import.meta.dir, "../../server/systems.ts"))) as Declared;
  const serving = systems.filter(({ serves }) => serves.includes("operators")).map(({ name }) => name);
  expect([...watchedSystems, ...unwatched].toSorted()).toEqual(serving.toSorted());
});
