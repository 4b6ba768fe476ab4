import { useState } from "react";
import type { Consistency } from "../../api/answers.ts";
import { useCan } from "../../api/role.ts";
import { Facts } from "../../parts/facts.tsx";
import { span } from "../../parts/format.ts";
import { useSettings } from "../../parts/settings.ts";
import { StateMark } from "../../parts/state_mark.tsx";
import { Ago, At } from "../../parts/time.tsx";
import { Resend } from "./resend.tsx";
import { markOf } from "./verification_mark.ts";

type State = NonNullable<Consistency["verification"]>;

/** Which confirmed events notification no longer holds, and the button to publish events again for operators. */
export function Verification({ state }: { state: State }) {
  const [isOpen, setOpen] = useState(false);
  const canAct = useCan("OPERATOR");
  const { zone } = useSettings();
  const { every_seconds: every, missing, earliest, latest, is_complete, missing_since, checked_at, full_pass_ended_at } = state;
  const hasMissing = missing.count > 0;
  return (
    <div className="flex flex-col gap-4 p-4">
      <p className="max-w-[80ch] text-soft">
        Every {every < 60 ? `${every} s` : span(every * 1000)} the relay asks whether notification still holds what it has confirmed. It
        does not if its database was restored to an earlier state.
      </p>
      <Facts
        facts={[
          ["State", <StateMark key="state" state={markOf(state, zone)} />],
          ...(hasMissing
            ? ([
                ["Found", <Ago key="found" at={missing_since} />],
                ["Earliest event", <At key="earliest" at={earliest} />],
                ["Latest event", <At key="latest" at={latest} />],
                ["Pass", is_complete ? "complete: all events that are kept were checked since" : "under way: more may be found"],
              ] as const)
            : []),
          ["Last check", <Ago key="checked" at={checked_at} />],
          ["Last full pass", <Ago key="full" at={full_pass_ended_at} />],
        ]}
      />
      {canAct && (
        <button type="button" className={`button self-start ${hasMissing ? "primary" : ""}`} onClick={() => setOpen(true)}>
          Resend events …
        </button>
      )}
      {isOpen && <Resend since={earliest} close={() => setOpen(false)} />}
    </div>
  );
}
