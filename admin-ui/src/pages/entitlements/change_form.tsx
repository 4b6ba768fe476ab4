import { useMutation, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { ChangeResponse } from "../../../../server/entitlement/changes/change_request.ts";
import { Dialog } from "../../parts/dialog.tsx";
import { Icon } from "../../parts/icons.tsx";
import { Id, useCopied } from "../../parts/id.tsx";
import { ErrorNotice } from "../../parts/notices.tsx";
import { commit, curlOf, type Draft, isOutcomeUnknown, type Verb } from "./change.ts";
import { ChangeFields } from "./change_fields.tsx";
import { ChangeResult } from "./change_result.tsx";

export interface ChangeFormProps {
  readonly user: string;
  readonly verb: Verb;
  readonly item: string;
  readonly close: () => void;
}

const words = { grant: { title: "Manual grant", label: "Grant" }, revoke: { title: "Manual revoke", label: "Revoke" } };

/**
 * A manual grant or revoke. The request key is created with the form and kept until the sent fields change. So a double click, or a retry
 * after a lost response, gets the stored response and changes nothing twice.
 */
export function ChangeForm({ user, verb, item, close }: ChangeFormProps) {
  const client = useQueryClient();
  const [draft, setDraft] = useState<Draft>({ item, reference: "", reason: "" });
  const [key, setKey] = useState(() => crypto.randomUUID());
  const [isCopied, copy] = useCopied();
  const act = useMutation<{ body: ChangeResponse; isReplayed: boolean }>({
    mutationFn: () => commit(user, verb, draft, key),
    networkMode: "always",
    onSettled: () => void client.invalidateQueries(),
  });
  const isWhole = Object.values(draft).every(text => text.trim() !== "");
  function edit(changed: Partial<Draft>): void {
    setDraft({ ...draft, ...changed });
    if (act.isIdle) return;
    setKey(crypto.randomUUID());
    act.reset();
  }
  function submit(event: FormEvent): void {
    event.preventDefault();
    if (isWhole && !act.isPending) act.mutate();
  }
  const { title, label } = words[verb];
  return (
    <Dialog title={title} isForm close={() => !act.isPending && close()}>
      {act.isSuccess ? (
        <ChangeResult {...act.data} idempotencyKey={key} close={close} />
      ) : (
        <form onSubmit={submit} className="flex flex-col gap-3">
          <p>
            User <Id id={user} whole />
          </p>
          <ChangeFields draft={draft} edit={edit} isBusy={act.isPending} />
          <div>
            <p className="heading">Request key</p>
            <Id id={key} whole />
            <p className="text-faint">Sent with the change. Retries with this key apply the change only once.</p>
          </div>
          {act.error && (
            <ErrorNotice
              what={
                isOutcomeUnknown(act.error) ? "No response arrived: the change may or may not have been applied." : "Nothing was changed."
              }
              error={act.error}
            />
          )}
          <div className="flex flex-wrap gap-2">
            <button type="submit" className={`button ${verb === "grant" ? "primary" : "danger"}`} disabled={!isWhole || act.isPending}>
              {act.isPending ? "Working …" : act.error && isOutcomeUnknown(act.error) ? "Resend with the same key" : label}
            </button>
            <button type="button" className="button" disabled={act.isPending} onClick={close}>
              Cancel
            </button>
            <button type="button" className="button md:ml-auto" disabled={!isWhole} onClick={() => copy(curlOf(user, verb, draft, key))}>
              <Icon name={isCopied ? "check" : "copy"} />
              Copy as curl
            </button>
            <span role="status" className="sr-only">
              {isCopied && "Copied as curl"}
            </span>
          </div>
        </form>
      )}
    </Dialog>
  );
}
