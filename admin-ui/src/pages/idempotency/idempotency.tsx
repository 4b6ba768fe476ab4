import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { type FormEvent, useState } from "react";
import { useLive } from "../../api/live.ts";
import { Facts, Verbatim } from "../../parts/facts.tsx";
import { number } from "../../parts/format.ts";
import { Icon } from "../../parts/icons.tsx";
import { Id } from "../../parts/id.tsx";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Page, Panel } from "../../parts/page.tsx";
import { StateMark } from "../../parts/state_mark.tsx";
import { Ago, At } from "../../parts/time.tsx";
import type { StoredResponse } from "./queries.ts";
import { idempotency } from "./queries.ts";

/** The stored data of a request key: request hash, response and number of replays. */
export function IdempotencyStart() {
  return (
    <Page title="Idempotency" about="The stored response of a request key">
      <LookUp />
      <div className="panel">
        <EmptyState title="Look up a request key">
          The service stores the response of each request key (the Idempotency-Key header) until the key expires. A repeated request with
          the same key gets the stored response. A different request with the same key is refused.
        </EmptyState>
      </div>
    </Page>
  );
}

export function Idempotency() {
  const { key } = useParams({ from: "/idempotency/$key" });
  const { data, error, isPending, refetch } = useQuery({ ...idempotency(key), ...useLive() });
  return (
    <Page title="Idempotency" about={<Id id={key} whole />}>
      <LookUp key={key} before={key} />
      {error && (
        <div className="panel overflow-hidden">
          <ErrorNotice what="The key cannot be looked up." error={error} retry={() => void refetch()} />
        </div>
      )}
      {isPending && (
        <div className="panel">
          <Skeleton rows={9} />
        </div>
      )}
      {data?.length === 0 && (
        <div className="panel">
          <EmptyState title="Unknown request key">
            The key was never used, or it expired and was deleted. A request with it counts as new. Keys are case-sensitive. Quotes around a
            key are not part of it.
          </EmptyState>
        </div>
      )}
      {data && data.length > 1 && <p className="text-soft">{number(data.length)} entries. Keys are separate for each client and route.</p>}
      {data?.map(one => (
        <StoredResponsePanel key={`${one.client_id} ${one.route}`} stored={one} />
      ))}
    </Page>
  );
}

function LookUp({ before = "" }: { before?: string }) {
  const navigate = useNavigate();
  const [text, setText] = useState(before);
  function submit(event: FormEvent): void {
    event.preventDefault();
    const key = text.trim();
    if (key !== "") void navigate({ to: "/idempotency/$key", params: { key } });
  }
  return (
    <form onSubmit={submit} className="flex max-w-2xl gap-2">
      <input
        aria-label="Idempotency-Key"
        placeholder="Idempotency-Key"
        className="field mono"
        autoComplete="off"
        spellCheck={false}
        maxLength={255}
        value={text}
        onChange={event => setText(event.target.value)}
      />
      <button type="submit" className="button primary">
        <Icon name="search" />
        Look up
      </button>
    </form>
  );
}

const states = {
  stored: { tone: "done", word: "Stored" },
  refused: { tone: "retry", word: "Stored refusal" },
  expired: { tone: "pending", word: "Expired" },
} as const;

function StoredResponsePanel({ stored }: { stored: StoredResponse }) {
  const state = states[stored.expired ? "expired" : stored.response_code === 200 ? "stored" : "refused"];
  const verb = stored.route.endsWith("/revokes") ? "Revoke" : "Grant";
  return (
    <Panel title={`${verb} by ${stored.client_id}`} aside={<StateMark state={state} />}>
      <div className="grid gap-x-8 gap-y-5 p-4 lg:grid-cols-2">
        <Facts
          facts={[
            ["Caller", <Id key="client" id={stored.client_id} whole />],
            ["Route", <Mono key="route" text={`POST ${stored.route}`} />],
            ["Request hash", <Id key="hash" id={stored.request_hash} whole />],
            ["Created", <At key="created" at={stored.created_at} />],
            [stored.expired ? "Expired" : "Expires", <Expiry key="expires" at={stored.expires_at} />],
            ["Replays", <Mono key="replays" text={number(stored.replays)} />],
            ["Last replay", stored.replayed_at ? <At key="replayed" at={stored.replayed_at} /> : "never"],
            ["Event", stored.event_id ? <JourneyLink key="event" id={stored.event_id} /> : "none: nothing was changed"],
          ]}
        />
        <div className="min-w-0">
          <h3 className="heading mb-2">
            Stored response <span className="mono normal-case">{stored.response_code}</span>
          </h3>
          <Verbatim text={JSON.stringify(stored.answer, null, 2)} />
        </div>
      </div>
    </Panel>
  );
}

const Mono = ({ text }: { text: string }) => <span className="mono break-all">{text}</span>;

const Expiry = ({ at }: { at: string }) => (
  <span className="flex flex-wrap gap-x-3">
    <At at={at} />
    <Ago at={at} />
  </span>
);

const JourneyLink = ({ id }: { id: string }) => (
  <Link to="/journey/$id" params={{ id }} className="link">
    Full journey of its event
  </Link>
);
