import type { IconName } from "../parts/icons.tsx";

/** The pages of the navigation, each with its key after `g`. The bar of a phone shows a few; the others are behind one button. */
export const pages = [
  { to: "/", name: "Overview", icon: "overview", key: "h", isInBar: true },
  { to: "/entitlements", name: "Entitlements", icon: "entitlements", key: "e" },
  { to: "/outbox", name: "Outbox", icon: "outbox", key: "o", isInBar: true },
  { to: "/notifications", name: "Notifications", icon: "notifications", key: "n", isInBar: true },
  { to: "/inbox", name: "Inbox", icon: "inbox", key: "i" },
  { to: "/users", name: "Users", icon: "users", key: "u" },
  { to: "/failures", name: "Failures", icon: "failures", key: "d", isInBar: true },
  { to: "/journey", name: "Journey", icon: "journey", key: "j" },
  { to: "/idempotency", name: "Idempotency", icon: "key", key: "k" },
  { to: "/consistency", name: "Consistency", icon: "consistency", key: "c" },
  { to: "/operations", name: "Operations", icon: "operations", key: "p" },
  { to: "/audit", name: "Audit", icon: "audit", key: "a" },
  { to: "/settings", name: "Settings", icon: "settings", key: "s" },
] as const satisfies readonly { to: string; name: string; icon: IconName; key: string; isInBar?: true }[];
