import { type FormEvent, useId, useState } from "react";

export interface ReasonFormProps {
  readonly label: string;
  readonly isBusy: boolean;
  readonly isDangerous?: boolean;
  /** A text to type before an irreversible action. */
  readonly confirmText?: string;
  /** In characters. */
  readonly longest?: number;
  readonly act: (reason: string) => void;
  readonly cancel?: () => void;
}

/** Every change needs a reason. It is stored in the audit log with the operator's name. */
export function ReasonForm({ label, isBusy, isDangerous = false, confirmText, longest = 500, act, cancel }: ReasonFormProps) {
  const [reason, setReason] = useState("");
  const [confirmation, setConfirmation] = useState("");
  const id = useId();
  const isReady = reason.trim() !== "" && (confirmText === undefined || confirmation.trim() === confirmText);
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isReady && !isBusy) act(reason.trim());
  }
  return (
    <form onSubmit={submit} className="flex w-full max-w-2xl flex-col gap-2">
      <label htmlFor={id} className="font-medium">
        Reason <span className="font-normal text-faint">– stored in the audit log with your name</span>
      </label>
      <textarea
        id={id}
        className="field"
        rows={2}
        maxLength={longest}
        required
        value={reason}
        // biome-ignore lint/a11y/noAutofocus: the operator opened it to type here
        autoFocus
        onChange={event => setReason(event.target.value)}
      />
      {confirmText !== undefined && (
        <label className="flex flex-wrap items-center gap-2">
          <span>
            Type <strong className="mono">{confirmText}</strong> to confirm
          </span>
          <input
            className="field mono !w-48"
            autoComplete="off"
            spellCheck={false}
            value={confirmation}
            onChange={event => setConfirmation(event.target.value)}
          />
        </label>
      )}
      <div className="flex flex-wrap gap-2">
        <button type="submit" className={`button ${isDangerous ? "danger" : "primary"}`} disabled={isBusy || !isReady}>
          {isBusy ? "Working …" : label}
        </button>
        {cancel && (
          <button type="button" className="button" onClick={cancel}>
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}
