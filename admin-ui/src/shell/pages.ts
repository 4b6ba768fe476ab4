import { linkOptions } from "@tanstack/react-router";
import { type IconName, isIcon } from "../parts/icons.tsx";
import { rowKinds } from "../systems.ts";

/** A page of the navigation, with its key after `g`. The bar of a phone shows a few; the others are behind one button. */
export interface NavigationPage {
  readonly path: string;
  readonly name: string;
  readonly icon: IconName;
  readonly key: string;
  readonly isInBar?: boolean;
}

const before: readonly NavigationPage[] = [
  { path: "/", name: "Overview", icon: "overview", key: "h", isInBar: true },
  { path: "/entitlements", name: "Entitlements", icon: "entitlements", key: "e" },
];
const after: readonly NavigationPage[] = [
  { path: "/matchmaking", name: "Matchmaking", icon: "matchmaking", key: "m" },
  { path: "/inbox", name: "Inbox", icon: "inbox", key: "i" },
  { path: "/users", name: "Users", icon: "users", key: "u" },
  { path: "/failures", name: "Failures", icon: "failures", key: "d", isInBar: true },
  { path: "/journey", name: "Journey", icon: "journey", key: "j" },
  { path: "/idempotency", name: "Idempotency", icon: "key", key: "k" },
  { path: "/consistency", name: "Consistency", icon: "consistency", key: "c" },
  { path: "/operations", name: "Operations", icon: "operations", key: "p" },
  { path: "/audit", name: "Audit", icon: "audit", key: "a" },
  { path: "/settings", name: "Settings", icon: "settings", key: "s" },
];

// The bar has room for so many lists.
const listsInBar = 2;

/** Each list gets the first letter of its name that no other page has. */
function listPages(): NavigationPage[] {
  const taken = new Set([...before, ...after].map(({ key }) => key).concat("g"));
  return rowKinds.map(({ name, title }, index) => {
    const key = [...name, ..."bflmqrtvwxyz"].find(letter => !taken.has(letter)) ?? "";
    taken.add(key);
    return { path: `/${name}`, name: title, icon: isIcon(name) ? name : "list", key, isInBar: index < listsInBar };
  });
}

export const pages: readonly NavigationPage[] = [...before, ...listPages(), ...after];

/** Pages are checked by the test beside this file: the router's types cannot know a path that is built from a row kind. */
export const linkTo = (path: string) => linkOptions({ to: path as "/" });
