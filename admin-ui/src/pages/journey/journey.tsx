import { useQuery } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { useLive } from "../../api/live.ts";
import { Icon } from "../../parts/icons.tsx";
import { Id, useCopied } from "../../parts/id.tsx";
import { EmptyState, ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Page } from "../../parts/page.tsx";
import { StateMark } from "../../parts/state_mark.tsx";
import { journey } from "./chain.ts";
import { ChainLinks } from "./chain_links.tsx";
import { markdownOf } from "./markdown.ts";
import { outcomeOf } from "./outcome.ts";
import { type Chain, stepsOf } from "./steps.ts";
import { Line } from "./timeline.tsx";
import { UnknownId } from "./unknown_id.tsx";

export function JourneyStart() {
  return (
    <Page title="Journey" about="All steps of an event, from the request to the inbox">
      <div className="panel">
        <EmptyState title="Paste any id into the search above">
          The id of an event, notification, trace or purchase, or a request key, leads to the full chain. A user id leads to the user's
          entitlements and notifications.
        </EmptyState>
      </div>
    </Page>
  );
}

export function Journey() {
  const { id } = useParams({ from: "/journey/$id" });
  const { data, error, isPending, refetch } = useQuery({ ...journey(id), ...useLive() });
  return (
    <Page
      title="Journey"
      about={
        <span className="flex flex-wrap items-center gap-x-2">
          <Id id={id} whole />
          {data?.matchedBy && <span>is {nameOf(data.matchedBy)}</span>}
        </span>
      }
    >
      {error && (
        <div className="panel overflow-hidden">
          <ErrorNotice what="The journey cannot be shown." error={error} retry={() => void refetch()} />
        </div>
      )}
      {data?.troubles.map(trouble => (
        <div key={trouble} className="panel overflow-hidden">
          <ErrorNotice what="Part of the journey cannot be loaded." error={trouble} retry={() => void refetch()} />
        </div>
      ))}
      {isPending && (
        <div className="panel">
          <Skeleton rows={10} />
        </div>
      )}
      {data?.chains.length === 0 && data.troubles.length === 0 && <UnknownId id={id} />}
      {data?.chains.map(chain => (
        <ChainPanel key={chain.eventId} chain={chain} />
      ))}
    </Page>
  );
}

function nameOf(matchedBy: string): string {
  const words = matchedBy.replaceAll("_", " ").toLowerCase();
  return `${/^[aeio]/.test(words) ? "an" : "a"} ${words}`;
}

function ChainPanel({ chain }: { chain: Chain }) {
  const [isCopied, copy] = useCopied();
  const steps = stepsOf(chain);
  const address = `${location.origin}/admin/journey/${chain.eventId}`;
  return (
    <section className="panel min-w-0" aria-label={`Event ${chain.eventId}`}>
      <header className="flex flex-wrap items-center gap-x-4 gap-y-2 border-b px-4 py-3">
        <h2 className="min-w-0 font-semibold">
          Event <Id id={chain.eventId} whole />
        </h2>
        <StateMark state={outcomeOf(chain)} />
        <ChainLinks chain={chain} />
        <button type="button" className="button ml-auto" onClick={() => copy(markdownOf(chain, steps, address))}>
          <Icon name={isCopied ? "check" : "copy"} />
          <span role="status">{isCopied ? "Copied as Markdown" : "Copy as Markdown"}</span>
        </button>
      </header>
      <Line steps={steps} />
    </section>
  );
}
