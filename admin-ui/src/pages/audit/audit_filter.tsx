import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { type FormEvent, useId } from "react";
import * as queries from "../../api/queries.ts";
import { actionNames, titleOfAction } from "../../parts/action_titles.ts";
import { Icon } from "../../parts/icons.tsx";
import { type AuditView, spans } from "./view.ts";

/** Filters of the audit log, kept in the address. */
export function AuditFilter({ view }: { view: AuditView }) {
  const navigate = useNavigate();
  const { data: me } = useQuery(queries.me);
  const id = useId();
  const { subject, operation, ...filter } = view;
  const go = (search: AuditView) => void navigate({ to: "/audit", search });
  const set = (changed: Partial<Record<keyof AuditView, string>>) => {
    const given = Object.entries({ ...filter, operation, ...changed }).filter(([, value]) => value);
    go(Object.fromEntries(given) as AuditView);
  };
  function find(event: FormEvent<HTMLFormElement>): void {
    event.preventDefault();
    const wanted = String(new FormData(event.currentTarget).get("subject") ?? "").trim();
    go(wanted ? { subject: wanted } : {});
  }
  const mine = me && `user:${me.user_id}`;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <select
        aria-label="Action"
        className="quiet-select"
        value={filter.action ?? ""}
        onChange={event => set({ action: event.target.value })}
      >
        <option value="">All actions</option>
        {actionNames.map(name => (
          <option key={name} value={name}>
            {titleOfAction(name)}
          </option>
        ))}
      </select>
      <select
        aria-label="Time"
        className="quiet-select"
        value={filter.within ?? ""}
        onChange={event => set({ within: event.target.value })}
      >
        <option value="">Any time</option>
        {Object.entries(spans).map(([span, name]) => (
          <option key={span} value={span}>
            {name}
          </option>
        ))}
      </select>
      {mine && (
        <label className="flex min-h-8 items-center gap-1.5">
          <input type="checkbox" checked={filter.actor === mine} onChange={event => set({ actor: event.target.checked ? mine : "" })} />
          Only mine
        </label>
      )}
      <form onSubmit={find} className="flex min-w-0 items-center gap-2">
        <label htmlFor={id} className="sr-only">
          Subject id
        </label>
        <input
          key={subject}
          id={id}
          name="subject"
          className="field mono !w-64 max-w-full"
          placeholder="Subject id"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          defaultValue={subject}
        />
      </form>
      {filter.actor && filter.actor !== mine && <Chip name="actor" value={filter.actor} remove={() => set({ actor: "" })} />}
      {operation && <Chip name="items of operation" value={operation} remove={() => set({ operation: "" })} />}
      {subject && <Chip name="id" value={subject} remove={() => go({})} />}
    </div>
  );
}

function Chip({ name, value, remove }: { name: string; value: string; remove: () => void }) {
  return (
    <button
      type="button"
      className="inline-flex min-h-7 max-w-full items-center gap-1.5 rounded-full border bg-panel pr-2 pl-3"
      onClick={remove}
    >
      <span className="sr-only">Remove filter</span>
      <span className="text-faint">{name}</span>
      <span className="mono min-w-0 truncate">{value}</span>
      <Icon name="close" className="size-3" />
    </button>
  );
}
