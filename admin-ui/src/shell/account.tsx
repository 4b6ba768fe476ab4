import { useQuery } from "@tanstack/react-query";
import { call } from "../api/client.ts";
import * as queries from "../api/queries.ts";
import { useRole } from "../api/role.ts";
import { Icon } from "../parts/icons.tsx";
import { change, useSettings } from "../parts/settings.ts";

const nextTheme = { system: "light", light: "dark", dark: "system" } as const;

export function ZoneSwitch() {
  const { zone } = useSettings();
  const other = zone === "utc" ? "local" : "utc";
  return (
    <button
      type="button"
      className="button !px-2"
      title={`Times are ${zone === "utc" ? "UTC" : "local"}; change`}
      onClick={() => change({ zone: other })}
    >
      {zone === "utc" ? "UTC" : "Local"}
      <span className="sr-only"> times; change</span>
    </button>
  );
}

export function ThemeSwitch() {
  const { theme } = useSettings();
  const next = nextTheme[theme];
  return (
    <button
      type="button"
      className="button !px-2"
      aria-label={`Theme: ${theme}. Change to ${next}`}
      title={`Theme: ${theme}`}
      onClick={() => change({ theme: next })}
    >
      <Icon name={theme} />
    </button>
  );
}

/** The signed-in user and their role. */
export function Account() {
  const { data } = useQuery(queries.me);
  const role = useRole();
  async function signOut(): Promise<void> {
    await call("/logout", { method: "POST" });
    sessionStorage.setItem("signed-out", "1"); // the start page then requires a password again
    location.assign("/");
  }
  return (
    <div className="flex items-center gap-2">
      <span className="hidden max-w-40 truncate text-soft xl:inline">{data?.display_name ?? data?.email}</span>
      {data && (
        <span className="rounded border px-1.5 py-0.5 text-xs font-semibold text-soft" title={`Your role: ${role}`}>
          {role}
        </span>
      )}
      <button type="button" className="button !px-2" aria-label="Sign out" title="Sign out" onClick={() => void signOut()}>
        <Icon name="out" />
      </button>
    </div>
  );
}
