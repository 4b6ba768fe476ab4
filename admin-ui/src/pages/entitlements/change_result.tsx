import { Link } from "@tanstack/react-router";
import { type MouseEvent, useEffect, useRef } from "react";
import type { ChangeResponse } from "../../../../server/entitlement/changes/change_request.ts";
import { Facts } from "../../parts/facts.tsx";
import { Id } from "../../parts/id.tsx";
import { At } from "../../parts/time.tsx";

export interface ChangeResultProps {
  readonly body: ChangeResponse;
  readonly isReplayed: boolean;
  readonly idempotencyKey: string;
  readonly close: () => void;
}

/** The result may appear between the two clicks of a double click. The second click is then dropped. */
function dropSecondOfDouble(event: MouseEvent): void {
  if (event.detail < 2) return;
  event.preventDefault();
  event.stopPropagation();
}

/** The committed change, with a link to its journey. */
export function ChangeResult({ body, isReplayed, idempotencyKey, close }: ChangeResultProps) {
  const message = useRef<HTMLParagraphElement>(null);
  // The focused form is gone. The focus does not go to a button: a second Enter must not press it.
  useEffect(() => message.current?.focus(), []);
  return (
    <div className="flex flex-col gap-4" onClickCapture={dropSecondOfDouble}>
      <p ref={message} role="status" tabIndex={-1} className="font-medium text-done outline-none">
        {body.status === "ACTIVE" ? "Granted." : "Revoked."}
        {isReplayed && " The first request already applied it. This is the stored response; nothing was changed twice."}
      </p>
      <Facts
        facts={[
          [
            "Item",
            <span key="item" className="mono break-all">
              {body.stock_keeping_unit}
            </span>,
          ],
          ["State", body.status === "ACTIVE" ? "active" : "revoked"],
          [
            "Version",
            <span key="version" className="mono">
              {body.version}
            </span>,
          ],
          ["Committed", <At key="at" at={body.updated_at} />],
          ["Request key", <Id key="key" id={idempotencyKey} whole />],
        ]}
      />
      <div className="flex flex-wrap items-center gap-3">
        <Link to="/journey/$id" params={{ id: idempotencyKey }} className="button primary">
          Journey of its event
        </Link>
        <button type="button" className="button" onClick={close}>
          Close
        </button>
      </div>
    </div>
  );
}
