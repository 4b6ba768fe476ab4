import { type FormEvent, type ReactNode, useId, useState } from "react";
import { Id } from "./id.tsx";
import { UserLists } from "./user_links.tsx";

/** The form to look up a user. */
export function UserLookup({ user, open }: { user: string | undefined; open: (user: string) => void }) {
  const [text, setText] = useState(user ?? "");
  const id = useId();
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (text.trim() !== "") open(text.trim());
  }
  return (
    <form onSubmit={submit} className="flex w-full max-w-xl flex-wrap items-center gap-2">
      <label htmlFor={id} className="font-medium">
        User
      </label>
      <input
        id={id}
        className="field mono min-w-0 !w-auto flex-1"
        placeholder="Exact user id"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        value={text}
        onChange={event => setText(event.target.value)}
      />
      <button type="submit" className="button" disabled={text.trim() === ""}>
        Look up
      </button>
    </form>
  );
}

/** The full user id with links to related pages. */
export function UserLine({ user, children }: { user: string; children: ReactNode }) {
  return (
    <p className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <Id id={user} whole />
      {children}
      <UserLists user={user} />
    </p>
  );
}
