import { useQuery } from "@tanstack/react-query";
import type { HealthPart, SourceLag, SystemHealth } from "../../../../server/kernel/operator/health_routes.ts";
import { useLive } from "../../api/live.ts";
import { number } from "../../parts/format.ts";
import { ErrorNotice, Skeleton } from "../../parts/notices.tsx";
import { Panel } from "../../parts/page.tsx";
import { StateMark } from "../../parts/state_mark.tsx";
import { titleOf, type WatchedSystem, watchedSystems } from "../../systems.ts";
import { largeLag } from "./headline.ts";
import { unreadText } from "./lag.ts";
import { processesText } from "./processes.ts";
import { gatewayHealth, health } from "./queries.ts";

interface NamedPart extends HealthPart {
  readonly kind: "dependency" | "worker" | "breaker" | "check";
}

// Checks, not dependencies that respond.
const checks: Record<string, string> = { redis_integrity: "signatures in Redis" };

const partsOf = ({ dependencies, workers, breakers }: SystemHealth): NamedPart[] => [
  ...dependencies.map(part => ({ ...part, kind: part.name in checks ? ("check" as const) : ("dependency" as const) })),
  ...workers.map(part => ({ ...part, name: part.name.replace(/^\w+:/, ""), kind: "worker" as const })),
  ...breakers.map(part => ({ ...part, kind: "breaker" as const })),
];
const nameOf = ({ name, kind }: NamedPart) =>
  kind === "breaker" ? `breaker of ${name}` : kind === "worker" ? `worker ${name}` : (checks[name] ?? name);

/** The dependencies and workers of each system. */
export function Health() {
  return (
    <Panel title="Dependencies and workers">
      <div className="-mr-px -mb-px grid md:grid-cols-[repeat(auto-fit,minmax(18rem,1fr))]">
        {watchedSystems.map(system => (
          <SystemParts key={system} system={system} />
        ))}
        <GatewayParts />
      </div>
    </Panel>
  );
}

const words = {
  dependency: { ok: "reachable", trouble: "unreachable", unknown: "not visible here", paused: "paused" },
  worker: { ok: "healthy", trouble: "broken", unknown: "not visible here", paused: "paused" },
  breaker: { ok: "closed", trouble: "open", unknown: "not visible here", paused: "paused" },
  check: { ok: "valid", trouble: "not valid", unknown: "not visible here", paused: "paused" },
} as const;
const tones = { ok: "done", trouble: "failed", unknown: "pending", paused: "retry" } as const;

function SystemParts({ system }: { system: WatchedSystem }) {
  const { data, error, refetch } = useQuery({ ...health(system), ...useLive() });
  return (
    <Parts title={titleOf(system)} data={data} error={error} retry={() => void refetch()} note={data && processesText(data.processes)} />
  );
}

function GatewayParts() {
  const { data, error, refetch } = useQuery({ ...gatewayHealth, ...useLive() });
  return <Parts title="Gateway" data={data} error={error} retry={() => void refetch()} />;
}

interface PartsProps {
  readonly title: string;
  readonly data: SystemHealth | undefined;
  readonly error: Error | null;
  readonly retry: () => void;
  readonly note?: string | undefined;
}

function Parts({ title, data, error, retry, note }: PartsProps) {
  return (
    <section className="min-w-0 border-r border-b" aria-label={`${title}: parts`}>
      <h3 className="heading px-4 pt-3 pb-1">{title}</h3>
      {error !== null && <ErrorNotice what={`The health of ${title.toLowerCase()} cannot be loaded.`} error={error} retry={retry} />}
      {!data && !error && <Skeleton rows={4} />}
      {data && (
        <ul className="pb-2">
          {partsOf(data).map(part => (
            <li
              key={part.kind + part.name}
              className={`flex min-h-8 flex-wrap items-center gap-x-3 px-4 ${part.state === "trouble" ? "bg-failed-ground py-1" : ""}`}
            >
              <span className="min-w-40 first-letter:uppercase">{nameOf(part)}</span>
              <StateMark
                state={{
                  tone: tones[part.state],
                  word: words[part.kind][part.state],
                  ...(part.state === "paused" ? { icon: "pause" } : {}),
                }}
              />
              {/* Who paused a worker and why is shown at the top of the page. */}
              {part.detail && part.state !== "paused" && <span className="min-w-0 basis-full break-words text-failed">{part.detail}</span>}
            </li>
          ))}
          {note && <li className="px-4 py-1 text-faint">{note}</li>}
        </ul>
      )}
    </section>
  );
}

/** The lag of notification's consumers, one for each source, in a cell next to the charts. */
export function ConsumerLag() {
  const { data, error, refetch } = useQuery({ ...health("notification"), ...useLive() });
  return (
    <section className="min-h-41 min-w-0 border-r border-b" aria-label="Consumer lag">
      {error !== null && !data ? (
        <ErrorNotice what="Consumer lag:" error={error} retry={() => void refetch()} />
      ) : (
        <div className="flex flex-col gap-2 px-4 pt-3 pb-3">
          <h3 className="font-medium">Consumer lag</h3>
          {data && <LagTable consumers={data.consumers} />}
        </div>
      )}
    </section>
  );
}

/** A row for each measure and a column for each source: the words are longer than the numbers, and the cell is narrow. */
const LagTable = ({ consumers }: { consumers: readonly SourceLag[] }) => (
  <table className="w-full break-normal">
    <thead>
      <tr className="text-xs text-faint">
        <th scope="col" className="text-left font-normal">
          <span className="sr-only">Messages</span>
        </th>
        {consumers.map(({ source }) => (
          <th key={source} scope="col" className="pl-2 text-right font-normal">
            {titleOf(source)}
          </th>
        ))}
      </tr>
    </thead>
    <tbody>
      {measures.map(({ name, of, most }, index) => (
        <tr key={name}>
          <th scope="row" className="py-1 text-left font-normal text-faint">
            {name}
          </th>
          {consumers.map(lag => (
            <LagCell key={lag.source} unread={unreadText(lag)} isFirst={index === 0} value={of(lag) ?? 0} most={most} />
          ))}
        </tr>
      ))}
    </tbody>
  </table>
);

/** `most`: above this it is a sign of trouble. */
const measures: readonly { name: string; of: (lag: SourceLag) => number | null; most: number }[] = [
  { name: "Waiting", of: lag => lag.pending, most: largeLag },
  { name: "In progress", of: lag => lag.ack_pending, most: Number.POSITIVE_INFINITY },
  { name: "Redelivered", of: lag => lag.redelivered, most: 0 },
];

function LagCell({ unread, isFirst, value, most }: { unread: string | undefined; isFirst: boolean; value: number; most: number }) {
  if (unread)
    return isFirst ? (
      <td rowSpan={measures.length} className="pl-2 text-right align-top text-soft">
        {unread}
      </td>
    ) : null;
  const tone = value > most ? "text-retry" : value === 0 ? "text-faint" : "";
  return <td className={`mono pl-2 text-right !text-base font-medium ${tone}`}>{number(value)}</td>;
}
