import { Link } from "@tanstack/react-router";

const tabs = [
  { to: "/failures", name: "By cause" },
  { to: "/failures/unreadable", name: "Unreadable messages" },
] as const;

/** The two kinds of failure: what could not be done, and what could not even be read. */
export const FailureTabs = () => (
  <nav aria-label="Kinds of failure" className="flex gap-1 border-b">
    {tabs.map(({ to, name }) => (
      <Link
        key={to}
        to={to}
        activeOptions={{ exact: to === "/failures", includeSearch: false }}
        className="-mb-px border-b-2 border-transparent px-3 py-2 text-soft hover:text-ink"
        activeProps={{ className: "!border-accent !text-ink font-medium", "aria-current": "page" }}
      >
        {name}
      </Link>
    ))}
  </nav>
);
