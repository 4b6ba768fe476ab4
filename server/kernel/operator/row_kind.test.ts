import { expect, test } from "bun:test";
import {
  aboutRetrying,
  actionNames,
  eligibleState,
  isEligible,
  kindNamed,
  listedStates,
  type RowKind,
  shownState,
  stateNamed,
  storedStates,
} from "./row_kind.ts";

const letters: RowKind = {
  system: "post",
  name: "letters",
  audited: "letter",
  id: "letter_id",
  rows: "letters",
  title: "Letters",
  about: "Letters on their way",
  one: "letter",
  many: "letters",
  states: [
    { name: "WAITING", word: "Waiting", meaning: "waiting" },
    { name: "RETRYING", word: "Retrying", meaning: "retrying", isDerived: true },
    { name: "CARRIED", word: "Carried", meaning: "held" },
    { name: "HANDED_OVER", word: "Handed over", meaning: "done" },
    { name: "LOST", word: "Lost", meaning: "failed" },
  ],
  types: [{ name: "Parcel", word: "Parcel" }],
  columns: {
    type: "type",
    user: "user_id",
    status: "status",
    attempts: "attempt_count",
    error: "last_error",
    created: "created_at",
    failed: "failed_at",
    due: "next_retry_at",
    done: "handed_over_at",
  },
  facts: [],
  actions: { retry: "OPERATOR", requeue: "ADMIN" },
};

test("an unknown kind is an error, and so is an unknown state", () => {
  expect(kindNamed([letters], "letters")).toBe(letters);
  expect(() => kindNamed([letters], "postcards")).toThrow("there is no row kind postcards; there are letters");
  expect(() => stateNamed(letters, "SENT")).toThrow("rows of letters have no state SENT");
});

test("the derived state is no state of the table, and the last one to filter by", () => {
  expect(storedStates(letters)).toEqual(["WAITING", "CARRIED", "HANDED_OVER", "LOST"]);
  expect(listedStates(letters)).toEqual(["WAITING", "CARRIED", "HANDED_OVER", "LOST", "RETRYING"]);
});

test("a waiting row is retrying after its first failed attempt", () => {
  expect(shownState(letters, { status: "WAITING", attempts: 0 }).name).toBe("WAITING");
  expect(shownState(letters, { status: "WAITING", attempts: 1 }).name).toBe("RETRYING");
  expect(shownState(letters, { status: "LOST", attempts: 3 }).name).toBe("LOST");
});

test("an action changes the rows of its state, and only declared actions are offered", () => {
  expect(actionNames(letters)).toEqual(["requeue", "retry"]);
  expect([eligibleState(letters, "retry").name, eligibleState(letters, "requeue").name]).toEqual(["RETRYING", "LOST"]);
  expect(isEligible(letters, "retry", { status: "WAITING", attempts: 2 })).toBe(true);
  expect(isEligible(letters, "retry", { status: "WAITING", attempts: 0 })).toBe(false);
  expect(isEligible(letters, "requeue", { status: "LOST", attempts: 2 })).toBe(true);
});

test("a table may store its retrying rows under any name", () => {
  const parcels: RowKind = {
    ...letters,
    states: [
      { name: "new", word: "Pending", meaning: "waiting" },
      { name: "failed", word: "Retrying", meaning: "retrying" },
      { name: "carried", word: "Carried", meaning: "held" },
      { name: "lost", word: "Lost", meaning: "failed" },
    ],
  };
  expect(storedStates(parcels)).toEqual(["new", "failed", "carried", "lost"]);
  expect(listedStates(parcels)).toEqual(storedStates(parcels));
  expect(shownState(parcels, { status: "new", attempts: 2 }).name).toBe("new");
  expect([eligibleState(parcels, "retry").name, eligibleState(parcels, "requeue").name]).toEqual(["failed", "lost"]);
  expect(isEligible(parcels, "retry", { status: "new", attempts: 2 })).toBe(false);
  expect(isEligible(parcels, "retry", { status: "failed", attempts: 0 })).toBe(true);
  expect(aboutRetrying(parcels)).toBe("failed are those that failed before and wait for their next attempt");
  expect(aboutRetrying(letters)).toBe("RETRYING are those WAITING that failed before and wait for their next attempt");
});
