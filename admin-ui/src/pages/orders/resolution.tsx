import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { post } from "../../api/client.ts";
import { useCan } from "../../api/role.ts";
import { ErrorNotice } from "../../parts/notices.tsx";
import { unknownOutcome } from "../../parts/order_words.ts";
import { ReasonForm } from "../../parts/reason_form.tsx";
import { StateMark, toneText } from "../../parts/state_mark.tsx";
import { answerWords } from "./answer_words.ts";
import type { AskAnswer } from "./queries.ts";
import { SettleForm, type Settlement } from "./settle_form.tsx";

export interface ResolutionProps {
  readonly id: string;
  readonly status: string;
  readonly isUnknown: boolean;
}

/** What people do about an unknown outcome: ask the broker, or settle the order by hand. The result is shown in place. */
export function Resolution({ id, status, isUnknown }: ResolutionProps) {
  const client = useQueryClient();
  const canAsk = useCan("OPERATOR");
  const canSettle = useCan("ADMIN") && isUnknown && status !== "sending";
  const [chosen, setChosen] = useState<"ask" | "settle">();
  const done = () => {
    setChosen(undefined);
    return client.invalidateQueries();
  };
  const ask = useMutation({
    mutationFn: (reason: string) => post<AskAnswer>("orders", `orders/${id}/ask`, { reason }),
    onSuccess: done,
  });
  const settle = useMutation({
    mutationFn: (settlement: Settlement) => post("orders", `orders/${id}/resolve`, settlement),
    onSuccess: done,
  });
  const choose = (what: "ask" | "settle") => {
    ask.reset();
    settle.reset();
    setChosen(what);
  };
  const hasResult = ask.data !== undefined || settle.isSuccess;
  if (!isUnknown && !hasResult) return null;
  const answer = ask.data && answerWords(ask.data);
  return (
    <section aria-label="Unknown outcome" className={`mb-6 flex flex-col gap-3 rounded-md border p-4 ${isUnknown ? "border-stale" : ""}`}>
      {isUnknown && (
        <div>
          <StateMark state={unknownOutcome} />
          <p className="mt-1 max-w-[80ch] text-soft">
            An attempt may have reached the broker, and its result is not known. The sender asks the broker and sends nothing before it has
            an answer.
          </p>
        </div>
      )}
      {answer && (
        <p role="status" className={`font-medium ${toneText[answer.tone]}`}>
          {answer.text}
        </p>
      )}
      {settle.isSuccess && (
        <p role="status" className="font-medium text-done">
          It was settled as {settle.variables.outcome}.
        </p>
      )}
      {(ask.error ?? settle.error) && <ErrorNotice what="Nothing was changed." error={ask.error ?? settle.error} />}
      {!chosen && isUnknown && (
        <div className="flex flex-wrap justify-between gap-2">
          {canAsk && (
            <button type="button" className="button primary" onClick={() => choose("ask")}>
              Ask the broker now …
            </button>
          )}
          {canSettle && (
            <button type="button" className="button danger" onClick={() => choose("settle")}>
              Settle by hand …
            </button>
          )}
        </div>
      )}
      {chosen === "ask" && (
        <>
          <p className="text-soft">The broker is asked for this order. If it knows the outcome, the order is settled with it.</p>
          <ReasonForm
            label="Ask the broker"
            isBusy={ask.isPending}
            act={reason => ask.mutate(reason)}
            cancel={() => setChosen(undefined)}
          />
        </>
      )}
      {chosen === "settle" && (
        <SettleForm isBusy={settle.isPending} act={settlement => settle.mutate(settlement)} cancel={() => setChosen(undefined)} />
      )}
    </section>
  );
}
