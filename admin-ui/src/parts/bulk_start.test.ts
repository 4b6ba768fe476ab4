import { expect, test } from "bun:test";
import type { BulkPreview } from "../../../server/kernel/operator/bulk_routes.ts";
import type { Operation } from "../api/answers.ts";
import { ApiError } from "../api/client.ts";
import { startShown } from "./bulk_start.ts";

const set = (eligible: number): BulkPreview => ({ count: eligible, eligible, ineligible: {}, set_hash: `hash of ${eligible}`, sample: [] });
const changed = () => new ApiError(409, "SET_CHANGED", "it is another set");

/** A server that returns these sets one after the other. */
function server(...sizes: number[]) {
  const started: number[] = [];
  return {
    started,
    preview: async () => set(sizes[0]!),
    start: async ({ set_hash, eligible }: Pick<BulkPreview, "set_hash" | "eligible">) => {
      const now = sizes[0]!;
      if (sizes.length > 1) sizes.shift();
      if (set_hash !== `hash of ${now}`) throw changed();
      started.push(eligible);
      return { total: eligible } as Operation;
    },
  };
}

test("a set that shrank after the preview is started with the remaining rows", async () => {
  const { started, ...calls } = server(9, 9);
  expect(await startShown({ shown: set(12), mayShrink: true, ...calls })).toMatchObject({ total: 9 });
  expect(started).toEqual([9]);
});

test.each([
  ["grew", 13, true],
  ["is empty", 0, true],
  ["shrank, of an action that names exactly its rows", 9, false],
])("a set that %s is not started: the operator gets a new preview", async (_, now, mayShrink) => {
  const { started, ...calls } = server(now);
  expect(await startShown({ shown: set(12), mayShrink, ...calls }).catch(error => error.code)).toBe("SET_CHANGED");
  expect(started).toEqual([]);
});

test("a set that keeps changing is given up after a few tries, and another error at once", async () => {
  const moving = server(11, 10, 9, 8, 7, 6, 5, 4, 3);
  const refused = await startShown({ shown: set(12), mayShrink: true, preview: async () => set(12), start: moving.start }).catch(
    error => error,
  );
  expect(refused.code).toBe("SET_CHANGED");
  const forbidden = new ApiError(403, "OVER_CAP", "too many");
  const start = () => Promise.reject(forbidden);
  expect(await startShown({ shown: set(12), mayShrink: true, preview: moving.preview, start }).catch(error => error)).toBe(forbidden);
});
