import { Outlet } from "@tanstack/react-router";
import { Icon } from "../parts/icons.tsx";
import { Account, ThemeSwitch, ZoneSwitch } from "./account.tsx";
import { KeyHelp, useKeys } from "./keys.tsx";
import { Rail } from "./rail.tsx";
import { Refresh } from "./refresh.tsx";
import { Search } from "./search.tsx";

/** The frame of every page. */
export function Shell() {
  const [isHelpOpen, setHelp] = useKeys();
  return (
    <div className="min-h-dvh md:grid md:grid-cols-[12.5rem_minmax(0,1fr)]">
      <a href="#content" className="button primary fixed top-2 left-2 z-50 -translate-y-16 focus:translate-y-0">
        Skip to content
      </a>
      <Rail />
      <div className="flex min-w-0 flex-col pb-16 md:pb-0">
        <header className="sticky top-0 z-10 flex flex-wrap items-center gap-2 border-b bg-panel px-3 py-2 md:px-6">
          <Search />
          <div className="ml-auto flex items-center gap-1.5 max-md:w-full max-md:justify-between">
            <Refresh />
            <div className="flex items-center gap-1.5">
              <ZoneSwitch />
              <ThemeSwitch />
              <button
                type="button"
                className="button hidden !px-2 md:inline-flex"
                aria-label="Keyboard help"
                title="Keyboard (?)"
                onClick={() => setHelp(true)}
              >
                <Icon name="keys" />
              </button>
            </div>
            <Account />
          </div>
        </header>
        <main id="content" tabIndex={-1} className="min-w-0 outline-none">
          <Outlet />
        </main>
      </div>
      {isHelpOpen && <KeyHelp close={() => setHelp(false)} />}
    </div>
  );
}
