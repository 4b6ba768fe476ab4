import { useId, useState } from "react";
import { ReasonForm } from "../../parts/reason_form.tsx";

export interface Settlement {
  readonly outcome: "succeeded" | "failed";
  readonly reason: string;
  readonly broker_order_id?: string;
}

const choices = [
  {
    outcome: "succeeded",
    word: "Succeeded",
    means: "the broker executed it",
    warning:
      "The client sees that the order succeeded, and it is never sent again. If the broker did not execute it, it is never executed.",
  },
  {
    outcome: "failed",
    word: "Failed",
    means: "the broker did not execute it",
    warning: "The client sees that the order failed and may order again. If the broker did execute it, the client then has it twice.",
  },
] as const;

/** Settles an unknown outcome by hand. The client acts on the result, so the outcome has to be typed as well. */
export function SettleForm({ isBusy, act, cancel }: { isBusy: boolean; act: (settlement: Settlement) => void; cancel: () => void }) {
  const name = useId();
  const [outcome, setOutcome] = useState<Settlement["outcome"]>();
  const [brokerOrderId, setBrokerOrderId] = useState("");
  const chosen = choices.find(one => one.outcome === outcome);
  return (
    <div className="flex flex-col gap-3">
      <p className="max-w-[80ch]">
        Settle an order by hand only if the broker itself has confirmed the outcome, for example by telephone. The client sees the result at
        once and acts on it.
      </p>
      <fieldset className="flex flex-col gap-1.5">
        <legend className="mb-1 font-medium">What did the broker confirm?</legend>
        {choices.map(one => (
          <label key={one.outcome} className="flex items-baseline gap-2">
            <input
              type="radio"
              name={name}
              value={one.outcome}
              checked={one.outcome === outcome}
              onChange={() => setOutcome(one.outcome)}
            />
            <span>
              <span className="font-medium">{one.word}</span>: {one.means}
            </span>
          </label>
        ))}
      </fieldset>
      {!chosen && (
        <button type="button" className="button self-start" onClick={cancel}>
          Cancel
        </button>
      )}
      {chosen && (
        <>
          <p className="max-w-[80ch] text-failed">{chosen.warning}</p>
          {chosen.outcome === "succeeded" && (
            <label className="flex flex-wrap items-center gap-2">
              <span className="font-medium">
                Broker's order id <span className="font-normal text-faint">– optional</span>
              </span>
              <input
                className="field mono !w-64"
                autoComplete="off"
                spellCheck={false}
                maxLength={200}
                value={brokerOrderId}
                onChange={event => setBrokerOrderId(event.target.value)}
              />
            </label>
          )}
          <ReasonForm
            label={`Settle as ${chosen.outcome}`}
            isBusy={isBusy}
            isDangerous
            confirmText={`settle as ${chosen.outcome}`}
            act={reason => {
              const broker_order_id = chosen.outcome === "succeeded" ? brokerOrderId.trim() : "";
              act({ outcome: chosen.outcome, reason, ...(broker_order_id ? { broker_order_id } : {}) });
            }}
            cancel={cancel}
          />
        </>
      )}
    </div>
  );
}
