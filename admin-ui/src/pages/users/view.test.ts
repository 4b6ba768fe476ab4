import { expect, test } from "bun:test";
import { isEmail, isUserId } from "../../parts/user_id.ts";
import { changesOf, offeredTo, parametersOf, readUsersView } from "./view.ts";

test("an address has a search or a list, and invalid values are ignored", () => {
  expect(readUsersView({})).toEqual({});
  expect(readUsersView({ search: " al " })).toEqual({ search: "al" });
  expect(readUsersView({ search: "al", show: "admins", open: "only" })).toEqual({ search: "al", open: "only" });
  expect(readUsersView({ search: " ", show: "admins", open: "only" })).toEqual({ show: "admins" });
  expect(readUsersView({ show: "everybody", open: "all" })).toEqual({});
});

test("the request has either a search or a list", () => {
  expect(parametersOf({})).toEqual({});
  expect(parametersOf({ search: "al", show: "admins" })).toEqual({ search: "al" });
  expect(parametersOf({ show: "admins" })).toEqual({ role: "ADMIN" });
  expect(parametersOf({ show: "suspended" })).toEqual({ status: "SUSPENDED" });
});

test("an account offers what the service would do; during an erasure nothing", () => {
  const offered = (account_status: string, isOwn = false, isErasing = false) => offeredTo({ account_status, isOwn, isErasing });
  expect(offered("ACTIVE")).toEqual(["suspend", "roles", "sign-out", "erase"]);
  expect(offered("ACTIVE", true)).toEqual(["roles", "sign-out"]);
  expect(offered("SUSPENDED")).toEqual(["restore", "roles", "sign-out", "erase"]);
  expect(offered("SUSPENDED", false, true)).toEqual([]);
  expect(offered("ERASED")).toEqual([]);
});

test("user ids and e-mail addresses are recognized", () => {
  expect(["01920C1A-7b1c-7d3e-8f00-00000000dead", "alice", "01920c1a"].map(isUserId)).toEqual([true, false, false]);
  expect(["a@b.example", "a@", "@b", "a b@c", "order-1", "a@b@c"].map(isEmail)).toEqual([true, false, false, false, false, false]);
});

test("an audit entry lists each changed field with its old and new value", () => {
  const roles = { before: { roles: ["USER"] }, after: { roles: ["USER", "ADMIN"] } };
  expect(changesOf(roles)).toEqual(["roles: USER → USER, ADMIN"]);
  expect(changesOf({ before: { email: null, picture: "p" }, after: { email: "a@b", picture: "p" } })).toEqual(["email: nothing → a@b"]);
  expect(changesOf({ before: null, after: { provider: "oidc", email: null } })).toEqual(["provider: oidc"]);
  for (const nothing of [{ before: null, after: null }, null, undefined, {}]) expect(changesOf(nothing)).toEqual([]);
});
