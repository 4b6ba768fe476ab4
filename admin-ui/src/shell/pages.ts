import type { IconName } from "../parts/icons.tsx";

/** The pages of the rail, and the key that follows `g`. */
export const pages = [
  { to: "/", name: "Overview", short: "Overview", icon: "overview", key: "h" },
  { to: "/entitlements", name: "Entitlements", short: "Rights", icon: "entitlements", key: "e" },
  { to: "/outbox", name: "Outbox", short: "Outbox", icon: "outbox", key: "o" },
  { to: "/notifications", name: "Notifications", short: "Notify", icon: "notifications", key: "n" },
  { to: "/inbox", name: "Inbox", short: "Inbox", icon: "inbox", key: "i" },
  { to: "/users", name: "Users", short: "Users", icon: "users", key: "u" },
  { to: "/failures", name: "Failures", short: "Failures", icon: "failures", key: "d" },
  { to: "/journey", name: "Journey", short: "Journey", icon: "journey", key: "j" },
  { to: "/idempotency", name: "Idempotency", short: "Keys", icon: "key", key: "k" },
  { to: "/consistency", name: "Consistency", short: "Books", icon: "consistency", key: "c" },
  { to: "/operations", name: "Operations", short: "Operate", icon: "operations", key: "p" },
  { to: "/audit", name: "Audit", short: "Audit", icon: "audit", key: "a" },
  { to: "/settings", name: "Settings", short: "Settings", icon: "settings", key: "s" },
] as const satisfies readonly { to: string; name: string; short: string; icon: IconName; key: string }[];
