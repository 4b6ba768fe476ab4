import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import type { RoleState } from "../../../server/kernel/operator/pause_routes.ts";
import { post } from "../api/client.ts";
import { useCan } from "../api/role.ts";
import { Dialog } from "./dialog.tsx";
import { ErrorNotice } from "./notices.tsx";
import { nameOfRole, pauseCosts, roleWords, systemOfRole } from "./paused_roles.ts";
import { ReasonForm } from "./reason_form.tsx";

const longestReason = 200;

/** Pauses a role, or resumes it, with a reason. Only operators see it. */
export function PauseAction({ role, means, paused }: RoleState) {
  const [isOpen, setOpen] = useState(false);
  const canAct = useCan("OPERATOR");
  if (!canAct) return null;
  const word = paused ? "Resume" : "Pause";
  return (
    <>
      <button type="button" className="button" aria-label={`${word} the ${roleWords(role)}`} onClick={() => setOpen(true)}>
        {word} …
      </button>
      {isOpen && <PauseDialog {...{ role, means, paused }} close={() => setOpen(false)} />}
    </>
  );
}

function PauseDialog({ role, means, paused, close }: RoleState & { readonly close: () => void }) {
  const client = useQueryClient();
  const action = paused ? "resume" : "pause";
  const word = paused ? "Resume" : "Pause";
  const act = useMutation({
    mutationFn: (reason: string) => post<RoleState>(systemOfRole(role), `roles/${nameOfRole(role)}/${action}`, { reason }),
    async onSuccess() {
      await client.invalidateQueries();
      close();
    },
  });
  return (
    <Dialog title={`${word} the ${roleWords(role)}`} close={close} isForm>
      <div className="flex flex-col gap-3">
        {paused ? (
          <p>Everything that waited is worked off now, oldest first.</p>
        ) : (
          <>
            <p>{means}</p>
            <p className="text-soft">
              Work under way ends normally. It stays paused until somebody resumes it, also after a restart. An alert reminds you after an
              hour. {pauseCosts(role)}
            </p>
          </>
        )}
        {act.error && <ErrorNotice what={`It was not ${action}d.`} error={act.error} />}
        <ReasonForm
          label={word}
          isBusy={act.isPending}
          isDangerous={!paused}
          longest={longestReason}
          act={reason => act.mutate(reason)}
          cancel={close}
        />
      </div>
    </Dialog>
  );
}
