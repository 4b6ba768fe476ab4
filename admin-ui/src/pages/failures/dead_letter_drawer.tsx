import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate, useParams, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { post } from "../../api/client.ts";
import { useLive } from "../../api/live.ts";
import { useCan } from "../../api/role.ts";
import { ActionList } from "../../parts/action_list.tsx";
import { Bytes } from "../../parts/bytes.tsx";
import { Drawer } from "../../parts/drawer.tsx";
import { Facts, Section, Verbatim } from "../../parts/facts.tsx";
import { number } from "../../parts/format.ts";
import { HeaderTable } from "../../parts/header_table.tsx";
import { Id } from "../../parts/id.tsx";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { ReasonForm } from "../../parts/reason_form.tsx";
import { StateMark } from "../../parts/state_mark.tsx";
import { At } from "../../parts/time.tsx";
import { deadLetterState } from "./dead_letters.tsx";
import type { RawDeadLetter, RawDeadLetterDetail } from "./queries.ts";
import { rawDeadLetter } from "./queries.ts";

export function DeadLetterDrawer() {
  const { id } = useParams({ from: "/failures/unreadable/$id" });
  const search = useSearch({ from: "/failures/unreadable" });
  const navigate = useNavigate();
  const [message, setMessage] = useState<string>();
  const { data, error, refetch } = useQuery({ ...rawDeadLetter(id), ...useLive(), enabled: message !== words.discard.done });
  return (
    <Drawer title="Unreadable message" head={<Id id={id} whole />} close={() => void navigate({ to: "/failures/unreadable", search })}>
      {message && (
        <p role="status" className="mb-4 font-medium text-done">
          {message}
        </p>
      )}
      {error && <ErrorNotice what="This message cannot be shown." error={error} retry={() => void refetch()} />}
      {!data && !error && <Skeleton rows={12} />}
      {data && message !== words.discard.done && <Details letter={data} report={setMessage} />}
    </Drawer>
  );
}

function Details({ letter, report }: { letter: RawDeadLetterDetail; report: (done: string) => void }) {
  return (
    <>
      {!letter.reprocessed_at && <Actions letter={letter} report={report} />}
      <Section title={letter.untrusted ? "Why it is not trusted" : "Why it could not be read"}>
        <Verbatim text={letter.reason} tone="text-failed" />
        {letter.untrusted && !letter.reprocessed_at && <p className="mt-2">{advice(letter.untrusted)}</p>}
      </Section>
      <Section title="About">
        <Facts
          facts={[
            ["State", <StateMark key="state" state={deadLetterState(letter)} />],
            ["Received", <At key="received" at={letter.received_at} />],
            ...(letter.reprocessed_at ? [["Consumed", <At key="consumed" at={letter.reprocessed_at} />] as const] : []),
            ["Subject", <Mono key="subject" text={letter.subject} />],
            ["Stream", <Mono key="stream" text={`${letter.stream} #${number(letter.stream_seq)}`} />],
            ["Event", letter.event_id ? <JourneyLink key="event" id={letter.event_id} /> : "none in its message id"],
          ]}
        />
      </Section>
      <Section title="Headers">
        <HeaderTable headers={letter.headers} />
      </Section>
      <Section title="Bytes">
        <Bytes hex={letter.data} size={letter.size} />
      </Section>
      {letter.actions.length > 0 && (
        <Section title="Operator actions">
          <ActionList actions={letter.actions} />
        </Section>
      )}
    </>
  );
}

const neverConsumed = "It is not consumed. A real event that it displaced is republished automatically.";
const advice = (untrusted: NonNullable<RawDeadLetter["untrusted"]>) => {
  if (untrusted === "unknown_key")
    return "If the key is one of yours, add it to EVENT_SIGNING_KEYS of notification and reprocess the message. Otherwise check who can publish to NATS.";
  if (untrusted === "forged")
    return `Its sender does not have this key, or the secret of the key differs between its publisher and notification. ${neverConsumed}`;
  return `Its sender has no signing key: check who can publish to NATS. ${neverConsumed}`;
};

const Mono = ({ text }: { text: string }) => <span className="mono break-all">{text}</span>;
const JourneyLink = ({ id }: { id: string }) => (
  <Link to="/journey/$id" params={{ id }} className="link mono break-all">
    {id}
  </Link>
);

const words = {
  reprocess: { label: "Reprocess", done: "The message was reprocessed and consumed." },
  discard: { label: "Discard", done: "The message was discarded. The audit log keeps a record of it." },
};
type Act = keyof typeof words;

/** Reprocess or discard, with the result shown in place. */
function Actions({ letter: { id, untrusted }, report }: { letter: RawDeadLetterDetail; report: (done: string) => void }) {
  const client = useQueryClient();
  const [isOperator, isAdmin] = [useCan("OPERATOR"), useCan("ADMIN")];
  const [chosen, setChosen] = useState<Act>();
  const act = useMutation({
    mutationFn: ({ action, reason }: { action: Act; reason: string }) =>
      post("notification", `raw-dead-letters/${id}/${action}`, { reason }),
    onSuccess: (_, { action }) => {
      setChosen(undefined);
      report(words[action].done);
      return client.invalidateQueries();
    },
  });
  const choose = (action: Act) => {
    act.reset();
    setChosen(action);
  };
  // A forged message stays forged, whichever key is configured.
  const canBeRead = untrusted === null || untrusted === "unknown_key";
  if (!isOperator || !(canBeRead || isAdmin)) return null;
  return (
    <div className="mb-6 flex flex-col gap-3 rounded-md border p-4">
      {act.error && <ErrorNotice what="Nothing was changed." error={act.error} />}
      {chosen ? (
        <ReasonForm
          key={chosen}
          label={words[chosen].label}
          isBusy={act.isPending}
          isDangerous={chosen === "discard"}
          act={reason => act.mutate({ action: chosen, reason })}
          cancel={() => setChosen(undefined)}
        />
      ) : (
        <div className="flex flex-wrap justify-between gap-2">
          {canBeRead && (
            <button type="button" className="button primary" onClick={() => choose("reprocess")}>
              Reprocess …
            </button>
          )}
          {isAdmin && (
            <button type="button" className="button danger" onClick={() => choose("discard")}>
              Discard …
            </button>
          )}
        </div>
      )}
    </div>
  );
}
