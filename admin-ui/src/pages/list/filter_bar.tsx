import { type FormEvent, useState } from "react";
import type { Filter } from "../../api/answers.ts";
import { type FilterName, filterNames, labels, tidy, without } from "../../parts/filter.ts";
import { exact } from "../../parts/format.ts";
import { Icon } from "../../parts/icons.tsx";
import { useCopied } from "../../parts/id.tsx";
import { isOfUsers, ownerOf, typeWord } from "../../parts/row_kinds.ts";
import { useSettings } from "../../parts/settings.ts";
import { UserLinks } from "../../parts/user_links.tsx";
import type { Kind } from "../../systems.ts";

/** The active filters as removable chips, and a form to add one. */
export function FilterBar({ kind, filter, change }: { kind: Kind; filter: Filter; change: (filter: Filter) => void }) {
  const { zone } = useSettings();
  const [isAdding, setAdding] = useState(false);
  const [isCopied, copy] = useCopied();
  const set = filterNames.filter(name => filter[name] !== undefined);
  const labelOf = (name: FilterName) => (name === "user_id" ? ownerOf(kind) : labels[name]);
  const say = (name: FilterName): string => {
    const value = String(filter[name]);
    if (name === "type") return typeWord(kind, value);
    return name.startsWith("created") ? exact(value, zone).replace(".000", "") : value;
  };
  return (
    <div className="flex min-h-8 min-w-0 flex-wrap items-center gap-2">
      {set.map(name => (
        <button
          type="button"
          key={name}
          className="group inline-flex min-h-7 max-w-full items-center gap-1.5 rounded-full border bg-panel pr-2 pl-3 hover:border-failed"
          title={String(filter[name])}
          onClick={() => change(without(filter, name))}
        >
          <span className="sr-only">Remove filter</span>
          <span className="shrink-0 text-faint">{labelOf(name)}</span>
          <span className="mono max-w-[48ch] truncate">{say(name)}</span>
          <Icon name="close" className="size-3 text-faint group-hover:text-failed" />
        </button>
      ))}
      {filter.user_id && isOfUsers(kind) && <UserLinks user={filter.user_id} />}
      {isAdding ? (
        <AddFilter
          types={kind.types}
          labelOf={labelOf}
          add={(name, value) => {
            change(tidy({ ...filter, [name]: value }));
            setAdding(false);
          }}
          cancel={() => setAdding(false)}
        />
      ) : (
        <button
          type="button"
          className="inline-flex min-h-7 items-center gap-1 rounded-full px-2 text-soft hover:bg-raised"
          onClick={() => setAdding(true)}
        >
          <Icon name="plus" className="size-3.5" />
          Filter
        </button>
      )}
      {set.length > 0 && (
        <button
          type="button"
          className="inline-flex min-h-7 items-center gap-1 rounded-full px-2 text-soft hover:bg-raised"
          onClick={() => copy(location.href)}
        >
          <Icon name={isCopied ? "check" : "copy"} className="size-3.5" />
          <span role="status">{isCopied ? "Link copied" : "Copy link"}</span>
        </button>
      )}
      {set.length > 1 && (
        <button type="button" className="link" onClick={() => change(tidy({ status: filter.status }))}>
          Clear all
        </button>
      )}
    </div>
  );
}

interface AddFilterProps {
  readonly types: Kind["types"];
  readonly labelOf: (name: FilterName) => string;
  readonly add: (name: FilterName, value: string | number) => void;
  readonly cancel: () => void;
}

function AddFilter({ types, labelOf, add, cancel }: AddFilterProps) {
  const [name, setName] = useState<FilterName>("user_id");
  const [value, setValue] = useState("");
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (value === "") return;
    if (name === "min_attempts") add(name, Number(value));
    else add(name, name.startsWith("created") ? new Date(value).toISOString() : value);
  }
  const input = { "aria-label": "Value", className: "field min-w-40 flex-1 md:!w-56 md:flex-none", value, required: true };
  return (
    <form
      onSubmit={submit}
      className="flex flex-wrap items-center gap-1.5 max-md:w-full"
      onKeyDown={event => event.key === "Escape" && cancel()}
    >
      <select
        aria-label="Filter by"
        className="quiet-select"
        value={name}
        // biome-ignore lint/a11y/noAutofocus: the operator opened it
        autoFocus
        onChange={event => {
          setName(event.target.value as FilterName);
          setValue("");
        }}
      >
        {filterNames.map(one => (
          <option key={one} value={one}>
            {labelOf(one)}
          </option>
        ))}
      </select>
      {name === "type" ? (
        <select {...input} onChange={event => setValue(event.target.value)}>
          <option value="">choose …</option>
          {types.map(one => (
            <option key={one.name} value={one.name}>
              {one.word}
            </option>
          ))}
        </select>
      ) : (
        <input
          {...input}
          type={name === "min_attempts" ? "number" : name.startsWith("created") ? "datetime-local" : "text"}
          {...(name === "min_attempts" ? { min: 1, max: 100 } : { maxLength: 200 })}
          onChange={event => setValue(event.target.value)}
        />
      )}
      <button type="submit" className="button">
        Add
      </button>
      <button type="button" className="button" onClick={cancel}>
        Cancel
      </button>
    </form>
  );
}
