import { useId, useState } from "react";
import type { Draft } from "./change.ts";

export interface ChangeFieldsProps {
  readonly draft: Draft;
  readonly edit: (changed: Partial<Draft>) => void;
  readonly isBusy: boolean;
}

/** The fields of a manual change. */
export function ChangeFields({ draft, edit, isBusy }: ChangeFieldsProps) {
  const id = useId();
  const [hasItem] = useState(draft.item !== "");
  const hasColon = draft.item.includes(":");
  return (
    <fieldset disabled={isBusy} className="flex flex-col gap-3">
      <div className="flex flex-col gap-1">
        <label htmlFor={`${id}-item`} className="font-medium">
          Item <span className="font-normal text-faint">– its stock keeping unit</span>
        </label>
        <input
          id={`${id}-item`}
          className="field mono"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          required
          aria-invalid={hasColon}
          aria-describedby={hasColon ? `${id}-colon` : undefined}
          // biome-ignore lint/a11y/noAutofocus: the operator opened it to type here
          autoFocus={!hasItem}
          value={draft.item}
          onChange={event => edit({ item: event.target.value })}
        />
        {hasColon && (
          <p id={`${id}-colon`} className="text-failed">
            An item name cannot contain a colon.
          </p>
        )}
      </div>
      <div className="flex flex-col gap-1">
        <label htmlFor={`${id}-reference`} className="font-medium">
          Reference <span className="font-normal text-faint">– an order or ticket id, visible to other systems</span>
        </label>
        <input
          id={`${id}-reference`}
          className="field mono"
          autoComplete="off"
          spellCheck={false}
          maxLength={200}
          required
          // biome-ignore lint/a11y/noAutofocus: the item is known, so this is the next field
          autoFocus={hasItem}
          value={draft.reference}
          onChange={event => edit({ reference: event.target.value })}
        />
      </div>
      <div className="flex flex-col gap-1">
        <label htmlFor={`${id}-reason`} className="font-medium">
          Reason <span className="font-normal text-faint">– stored in the audit log with your name; not shown to the user</span>
        </label>
        <textarea
          id={`${id}-reason`}
          className="field"
          rows={2}
          maxLength={500}
          required
          value={draft.reason}
          onChange={event => edit({ reason: event.target.value })}
        />
      </div>
    </fieldset>
  );
}
