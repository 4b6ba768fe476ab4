import { describe, expect, test } from "bun:test";
import { masking } from "./masking.ts";

const maskFor = masking({ members: [] });
const maskOrders = masking({ members: ["purchase_id"], beside: { reason: "purchase_id" } });

const answer = {
  user_id: "alice",
  payload: { user_id: "alice", version: 3, tags: ["a", { b: "c" }], none: null, on: true },
  list: [{ payload: "x", id: "i" }],
  audit: { detail: { purchase_id: "order-1", reason: "purchase" } },
  actions: [{ reason: "the operator's own words", detail: { purchase_id: "order-1" } }],
};
const person = (...roles: string[]) => ({ clientId: "user:u", scopes: [], person: { userId: "u", roles } });

describe("payloads", () => {
  test.each([
    ["a machine client", { clientId: "shop", scopes: ["ops:read"] }],
    ["an operator", person("OPERATOR")],
    ["an admin", person("USER", "ADMIN")],
    ["a viewer who is an operator too", person("VIEWER", "OPERATOR")],
  ])("are seen by %s", (_, caller) => expect(maskOrders(caller, answer)).toEqual(answer));

  test.each([
    ["a viewer", person("VIEWER")],
    ["a user", person("USER")],
    ["nobody in particular", person()],
    ["roles that are nearly right", person("operator", "ADMINS")],
  ])("are masked for %s: strings at any depth, and nothing else", (_, caller) =>
    expect(maskOrders(caller, answer)).toEqual({
      user_id: "alice",
      payload: { user_id: "•••", version: 3, tags: ["•••", { b: "•••" }], none: null, on: true },
      list: [{ payload: "•••", id: "i" }],
      audit: { detail: { purchase_id: "•••", reason: "•••" } },
      actions: [{ reason: "the operator's own words", detail: { purchase_id: "•••" } }],
    }),
  );
});

test("a message in bytes is masked too", () =>
  expect(maskFor(person("VIEWER"), { data: "ff", headers: { a: "b" }, subject: "s" })).toEqual({
    data: "•••",
    headers: { a: "•••" },
    subject: "s",
  }));

test("only messages are masked by a system that names nothing else", () =>
  expect(maskFor(person("VIEWER"), { payload: "x", purchase_id: "order-1", reason: "purchase" })).toEqual({
    payload: "•••",
    purchase_id: "order-1",
    reason: "purchase",
  }));
