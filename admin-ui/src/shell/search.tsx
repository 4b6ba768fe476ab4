import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, type KeyboardEvent, useState } from "react";
import { Icon } from "../parts/icons.tsx";
import { isEmail } from "../parts/user_id.ts";

export const searchId = "search";

/** Moves the focus to the page, where single-key shortcuts work. */
const leave = () => document.getElementById("content")?.focus({ preventScroll: true });

/** Accepts any id and opens its journey. An e-mail address opens the user. */
export function Search() {
  const navigate = useNavigate();
  const [text, setText] = useState("");
  function submit(event: FormEvent): void {
    event.preventDefault();
    const id = text.trim();
    if (id === "") return;
    setText("");
    leave();
    if (isEmail(id)) void navigate({ to: "/users", search: { search: id, open: "only" } });
    else void navigate({ to: "/journey/$id", params: { id } });
  }
  function press(event: KeyboardEvent): void {
    if (event.key !== "Escape") return;
    leave();
  }
  return (
    <search className="min-w-0 flex-1 md:max-w-xl">
      <form onSubmit={submit} className="relative">
        <Icon name="search" className="pointer-events-none absolute top-2 left-2.5 size-4 text-faint" />
        <input
          id={searchId}
          aria-label="Find by any id"
          placeholder="Event, notification, order, match, trace, key, user, e-mail …"
          className="field mono !pr-9 !pl-8"
          autoComplete="off"
          spellCheck={false}
          maxLength={1200}
          value={text}
          onChange={event => setText(event.target.value)}
          onKeyDown={press}
        />
        <span aria-hidden="true" className="pointer-events-none absolute top-1.5 right-2 hidden md:inline">
          <kbd>/</kbd>
        </span>
      </form>
    </search>
  );
}
