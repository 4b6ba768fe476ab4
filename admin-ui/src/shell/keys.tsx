import { useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { useEffect, useRef, useState } from "react";
import { Dialog } from "../parts/dialog.tsx";
import { change, useSettings } from "../parts/settings.ts";
import { linkTo, pages } from "./pages.ts";
import { searchId } from "./search.tsx";

const isTyping = (target: EventTarget | null) =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
const isDialogOpen = () => document.querySelector("[role=dialog], [role=alertdialog]") !== null;
const chordWithin = 1500;

/** Single-key shortcuts, listed by `?`. They can be turned off. */
export function useKeys(): [isHelpOpen: boolean, setHelp: (isOpen: boolean) => void] {
  const [isHelpOpen, setHelp] = useState(false);
  const { keys } = useSettings();
  const navigate = useNavigate();
  const client = useQueryClient();
  const leader = useRef(0);

  useEffect(() => {
    function press(event: KeyboardEvent): void {
      if (!keys || event.metaKey || event.ctrlKey || event.altKey || isTyping(event.target) || isDialogOpen()) return;
      const page = event.timeStamp - leader.current < chordWithin ? pages.find(({ key }) => key === event.key) : undefined;
      leader.current = event.key === "g" ? event.timeStamp : Number.NEGATIVE_INFINITY;
      if (page) void navigate(linkTo(page.path));
      else if (event.key === "/") document.getElementById(searchId)?.focus();
      else if (event.key === "?") setHelp(true);
      else if (event.key === "r") void client.invalidateQueries();
      else return;
      event.preventDefault();
    }
    document.addEventListener("keydown", press);
    return () => document.removeEventListener("keydown", press);
  }, [keys, navigate, client]);
  return [isHelpOpen, setHelp];
}

export function KeyHelp({ close }: { close: () => void }) {
  const { keys } = useSettings();
  const lines: [string[], string][] = [
    [["/"], "search by id"],
    [["r"], "refresh now"],
    [["?"], "this help"],
    [["Esc"], "close the open dialog"],
    ...pages.map(({ key, name }): [string[], string] => [["g", key], name]),
  ];
  return (
    <Dialog title="Keyboard" close={close}>
      <dl className="grid grid-cols-[5rem_1fr] gap-y-2">
        {lines.map(([pressed, does]) => (
          <div key={does} className="contents">
            <dt className="flex gap-1">
              {pressed.map(one => (
                <kbd key={one}>{one}</kbd>
              ))}
            </dt>
            <dd>{does}</dd>
          </div>
        ))}
      </dl>
      <label className="mt-4 flex items-center gap-2 border-t pt-4">
        <input type="checkbox" checked={keys} onChange={event => change({ keys: event.target.checked })} />
        Single-key shortcuts (turn off if you use dictation or type by accident)
      </label>
    </Dialog>
  );
}
