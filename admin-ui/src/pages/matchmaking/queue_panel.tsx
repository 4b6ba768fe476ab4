import { type ReactNode, useMemo } from "react";
import type { Queue } from "../../api/matchmaking_answers.ts";
import { formatValue, linesOf, valuesOf } from "../../parts/chart_lines.ts";
import { countScaleOf } from "../../parts/chart_scale.ts";
import { number } from "../../parts/format.ts";
import { Icon } from "../../parts/icons.tsx";
import { announceTone, isOverdue, isUnpaired, publishTone } from "../../parts/match_troubles.ts";
import { MinuteSlider } from "../../parts/minute_slider.tsx";
import { Panel } from "../../parts/page.tsx";
import { type Pointing, SeriesCell } from "../../parts/series_cell.tsx";
import { toneText } from "../../parts/state_mark.tsx";
import { matchChart, rateOf, rateText, secondsText, seriesOf, strategyWords } from "./queue_numbers.ts";

interface QueuePanelProps extends Pointing {
  readonly queue: Queue;
}

/** One mode: who waits, how long a match takes, what is on its way to the players, and the last hour. */
export function QueuePanel({ queue, at, point }: QueuePanelProps) {
  const { mode, strategy, ticket_ttl_seconds, waiting, oldest_wait_seconds, time_to_match: took } = queue;
  const series = useMemo(() => seriesOf(queue), [queue]);
  const scale = countScaleOf(linesOf(matchChart).flatMap(line => valuesOf(series, line).map(value => value ?? 0)));
  const wordsOf = (place: number) =>
    linesOf(matchChart)
      .map(line => `${formatValue(valuesOf(series, line)[place] ?? null, line)} ${line.word}`)
      .join(", ");
  return (
    <Panel
      title={`Mode ${mode}`}
      aside={
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-faint">
          <MinuteSlider minutes={queue.minutes} wordsOf={wordsOf} at={at} point={point} />
          <span>
            <span className="mono">{strategy}</span> {strategyWords(strategy)}, a ticket expires after {secondsText(ticket_ttl_seconds)}
          </span>
        </div>
      }
    >
      <div className="-mr-px -mb-px grid lg:grid-cols-[minmax(0,3fr)_minmax(0,2fr)]">
        <dl className="grid grid-cols-2 sm:grid-cols-3">
          <Fact name="Waiting" value={number(waiting)} isQuiet={waiting === 0} tone={isUnpaired(queue) ? "failed" : undefined}>
            {isUnpaired(queue) ? "nobody pairs them" : waiting === 1 ? "player" : "players"}
          </Fact>
          <Fact
            name="Oldest wait"
            value={secondsText(oldest_wait_seconds)}
            isQuiet={oldest_wait_seconds === null}
            tone={isOverdue(queue) ? "failed" : undefined}
          >
            {waitWords(queue)}
          </Fact>
          <Fact name="Matches a minute" value={rateText(rateOf(queue))} isQuiet={rateOf(queue) === 0}>
            over the last 5 full minutes
          </Fact>
          <Fact name="Time to match, p50" value={secondsText(took.p50_seconds)} isQuiet={took.samples === 0}>
            {took.samples === 0 ? "no match in the last hour" : `p99 ${secondsText(took.p99_seconds)}`}
          </Fact>
          <Backlog name="Not published" count={queue.unpublished} oldest={queue.oldest_unpublished_seconds} tone={publishTone(queue)} />
          <Backlog name="Not announced" count={queue.unconfirmed} oldest={queue.oldest_unconfirmed_seconds} tone={announceTone(queue)} />
        </dl>
        <SeriesCell
          chart={matchChart}
          query={{ data: series, error: null, refetch: () => undefined }}
          points={series}
          bin={1}
          scale={scale}
          at={at}
          point={point}
        />
      </div>
      <Totals queue={queue} />
    </Panel>
  );
}

function waitWords(queue: Queue): string {
  if (isOverdue(queue)) return "a ticket is past its expiry";
  return queue.oldest_wait_seconds === null ? "nobody waits" : "the first of the queue";
}

interface FactProps {
  readonly name: string;
  readonly value: string;
  readonly isQuiet: boolean;
  readonly tone?: "failed" | "retry" | undefined;
  readonly children: ReactNode;
}

function Fact({ name, value, isQuiet, tone, children }: FactProps) {
  const colour = tone ? toneText[tone] : isQuiet ? "text-faint" : "";
  return (
    <div className={`flex min-w-0 flex-col gap-0.5 border-r border-b px-4 py-3 ${tone === "failed" ? "bg-failed-ground" : ""}`}>
      <dt className={`flex items-center gap-1.5 ${tone ? `font-medium ${toneText[tone]}` : "text-faint"}`}>
        {tone && <Icon name={tone} className="size-3.5" />}
        {name}
      </dt>
      <dd className={`mono !text-2xl font-medium ${colour}`}>{value}</dd>
      <dd className={tone ? toneText[tone] : "text-faint"}>{children}</dd>
    </div>
  );
}

interface BacklogProps {
  readonly name: string;
  readonly count: number;
  readonly oldest: number | null;
  readonly tone: "failed" | "retry" | undefined;
}

/** Matches on their way to the players. A few young ones are normal. */
const Backlog = ({ name, count, oldest, tone }: BacklogProps) => (
  <Fact name={name} value={number(count)} isQuiet={count === 0} tone={tone}>
    {count === 0 ? "none waits" : `oldest ${secondsText(oldest)}`}
  </Fact>
);

const words = ["joined", "matched", "cancelled", "expired", "invalid"] as const;

const Totals = ({ queue: { totals, void_matches } }: { queue: Queue }) => (
  <p className="flex flex-wrap gap-x-4 gap-y-0.5 border-t px-4 py-2 text-faint">
    <span>Tickets in total:</span>
    {words.map(word => (
      <span key={word} className={word === "invalid" && totals.invalid > 0 ? "text-failed" : ""}>
        <span className="mono text-soft">{number(totals[word])}</span> {word}
      </span>
    ))}
    {void_matches > 0 && (
      <span>
        and <span className="mono text-soft">{number(void_matches)}</span> void {void_matches === 1 ? "match" : "matches"}
      </span>
    )}
  </p>
);
