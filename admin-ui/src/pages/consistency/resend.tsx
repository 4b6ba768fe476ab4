import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { type FormEvent, useState } from "react";
import type { ResendPreview } from "../../../../server/entitlement/operator/resend_routes.ts";
import type { Operation } from "../../api/answers.ts";
import { ApiError, post } from "../../api/client.ts";
import { BulkProgress } from "../../parts/bulk.tsx";
import { Dialog } from "../../parts/dialog.tsx";
import { Facts } from "../../parts/facts.tsx";
import { number } from "../../parts/format.ts";
import { Id } from "../../parts/id.tsx";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { ReasonForm } from "../../parts/reason_form.tsx";
import { At } from "../../parts/time.tsx";
import { kindOf } from "../../systems.ts";
import { type Fields, fieldsOf, type Selection, selectionOf } from "./resend_fields.ts";

/** Publishes events again: selection → preview → reason → progress. It runs on the server and continues after closing. */
export function Resend({ since, close }: { since: string | null; close: () => void }) {
  const [selection, setSelection] = useState<Selection | undefined>(since === null ? undefined : selectionOf(fieldsOf(since)));
  const [started, setStarted] = useState<Operation>();
  return (
    <Dialog title="Resend events" isForm close={close}>
      {started ? (
        <BulkProgress kind={kindOf("outbox")} id={started.operation_id} close={close} />
      ) : (
        <div className="flex flex-col gap-4">
          <SelectionForm since={since} choose={setSelection} />
          {selection && <Preview key={JSON.stringify(selection)} selection={selection} started={setStarted} close={close} />}
        </div>
      )}
    </Dialog>
  );
}

function SelectionForm({ since, choose }: { since: string | null; choose: (selection: Selection) => void }) {
  const [fields, setFields] = useState<Fields>(fieldsOf(since));
  const change = (some: Partial<Fields>) => setFields({ ...fields, ...some });
  function submit(event: FormEvent): void {
    event.preventDefault();
    choose(selectionOf(fields));
  }
  const time = { type: "datetime-local", step: 1, className: "field" } as const;
  return (
    <form onSubmit={submit} className="flex flex-col gap-3">
      <div className="grid gap-3 md:grid-cols-2">
        <label className="flex flex-col gap-1 font-medium">
          Created since, your local time
          <input {...time} required value={fields.since} onChange={event => change({ since: event.target.value })} />
        </label>
        <label className="flex flex-col gap-1 font-medium">
          Created before (optional)
          <input {...time} value={fields.until} onChange={event => change({ until: event.target.value })} />
        </label>
      </div>
      <label className="flex flex-col gap-1 font-medium">
        User (optional)
        <input className="field" maxLength={200} value={fields.user_id} onChange={event => change({ user_id: event.target.value })} />
      </label>
      <label className="flex items-start gap-2">
        <input
          type="checkbox"
          className="mt-1"
          checked={fields.only_missing}
          onChange={event => change({ only_missing: event.target.checked })}
        />
        <span>
          Only what notification lacks <span className="text-faint">– otherwise everything; notification drops what it holds</span>
        </span>
      </label>
      <button type="submit" className="button self-start">
        Preview
      </button>
    </form>
  );
}

interface PreviewProps {
  readonly selection: Selection;
  readonly started: (operation: Operation) => void;
  readonly close: () => void;
}

function Preview({ selection, started, close }: PreviewProps) {
  const client = useQueryClient();
  const preview = useQuery({
    queryKey: ["outbox", "resend", selection],
    queryFn: () => post<ResendPreview>("entitlement", "outbox/resend/preview", selection),
    gcTime: 0,
    refetchOnWindowFocus: false,
  });
  const start = useMutation({
    mutationFn: (reason: string) => {
      const { set_hash, eligible } = preview.data!;
      return post<Operation>("entitlement", "outbox/resend", { ...selection, set_hash, expected: eligible, reason });
    },
    onSuccess: operation => {
      started(operation);
      return client.invalidateQueries({ queryKey: ["operations"] });
    },
  });
  const hasChanged = start.error instanceof ApiError && start.error.code === "SET_CHANGED";
  const refresh = () => {
    start.reset();
    void preview.refetch();
  };
  if (preview.isPending) return <Skeleton rows={4} />;
  if (preview.error) return <ErrorNotice what="The preview failed." error={preview.error} retry={() => void preview.refetch()} />;
  return (
    <div className="flex flex-col gap-4 border-t pt-4">
      <Summary preview={preview.data} isOnlyMissing={selection.only_missing} />
      {start.error && (
        <ErrorNotice
          what={hasChanged ? "The events changed after the preview." : "The operation was not started."}
          error={start.error}
          {...(hasChanged ? { retry: refresh } : {})}
        />
      )}
      {preview.data.eligible > 0 && !hasChanged && (
        <ReasonForm
          label={`Resend ${number(preview.data.eligible)}`}
          isBusy={start.isPending}
          act={reason => start.mutate(reason)}
          cancel={close}
        />
      )}
    </div>
  );
}

function Summary({ preview, isOnlyMissing }: { preview: ResendPreview; isOnlyMissing: boolean }) {
  const { eligible, earliest, latest, sample, kept_since, is_before_kept, is_complete } = preview;
  return (
    <>
      <p className="text-base">
        <strong className="mono !text-2xl font-semibold">{number(eligible)}</strong>{" "}
        {eligible === 1 ? "event will be published again." : "events will be published again."}
      </p>
      {isOnlyMissing && !is_complete && (
        <p className="text-retry">The check has not seen all events yet. It may find more that are missing.</p>
      )}
      {is_before_kept && (
        <p className="text-retry">
          Confirmed events from before <At at={kept_since} /> may have been deleted from the outbox and cannot be resent.
        </p>
      )}
      {eligible > 0 && (
        <Facts
          facts={[
            ["Earliest", <At key="earliest" at={earliest} />],
            ["Latest", <At key="latest" at={latest} />],
            [
              "Examples",
              <span key="sample" className="flex flex-wrap gap-x-3">
                {sample.map(id => (
                  <Id key={id} id={id} />
                ))}
              </span>,
            ],
          ]}
        />
      )}
    </>
  );
}
