import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { lazy, Suspense, useMemo, useState } from "react";
import type { FlowSeries, System } from "../api.ts";
import {
  binned,
  type FlowChart,
  type Line,
  type LineTone,
  latency,
  ranges,
  rowsOf,
  summaryOf,
  throughput,
  told,
  valuesOf,
} from "../flow_charts.ts";
import { clock, exact } from "../format.ts";
import { useLive } from "../live.ts";
import { Panel } from "../parts/page.tsx";
import { Trouble } from "../parts/trouble.tsx";
import * as queries from "../queries.ts";
import { useSettings } from "../settings.ts";
import { ConsumerLag } from "./overview_health.tsx";

const SeriesChart = lazy(() => import("../parts/series_chart.tsx"));
// A day of minutes hardly changes in a few seconds.
const slowRefresh = 30_000;

/** What flowed and how fast, every chart over the same time. */
export function Flow() {
  const { hours = "1" } = useSearch({ from: "/" });
  const minutes = Number(hours) * 60;
  const { bin } = ranges.find(range => range.hours === hours) ?? ranges[0];
  const { zone } = useSettings();
  const { refetchInterval } = useLive();
  const live = { refetchInterval: refetchInterval && minutes > 60 ? Math.max(refetchInterval, slowRefresh) : refetchInterval };
  const series = {
    entitlement: useQuery({ ...queries.flow("entitlement", minutes), ...live }),
    notification: useQuery({ ...queries.flow("notification", minutes), ...live }),
  };
  const [at, point] = useState<number | null>(null);
  const points = { entitlement: usePoints(series.entitlement.data, bin), notification: usePoints(series.notification.data, bin) };
  const shown = points.entitlement ?? points.notification;
  const tops = {
    count: topOfCounts(throughput.flatMap(chart => valuesIn(chart, points[chart.system]))),
    time: topOfTimes(latency.flatMap(chart => valuesIn(chart, points[chart.system]))),
  };
  const cell = (chart: FlowChart) => (
    <Cell
      key={chart.title}
      {...{ chart, bin, at, point }}
      query={series[chart.system]}
      points={points[chart.system]}
      top={tops[chart.unit]}
    />
  );
  return (
    <Panel
      title="Flow"
      aside={
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          {shown && <Minute points={points} shown={shown} at={at} point={point} />}
          <span className="mono text-faint" aria-hidden="true">
            {shown && at !== null && shown.minutes[at] ? exact(shown.minutes[at].minute, zone).slice(0, 16) : ""}
          </span>
          <Range hours={hours} />
        </div>
      }
    >
      <div className="-mr-px -mb-px grid sm:grid-cols-2 xl:grid-cols-4">
        {throughput.map(cell)}
        <ConsumerLag />
        {latency.map(cell)}
      </div>
    </Panel>
  );
}

function Range({ hours }: { hours: string }) {
  const navigate = useNavigate({ from: "/" });
  return (
    <fieldset className="flex" aria-label="Time shown">
      {ranges.map(range => (
        <button
          key={range.hours}
          type="button"
          aria-pressed={hours === range.hours}
          onClick={() => void navigate({ search: range.hours === "1" ? {} : { hours: range.hours }, replace: true })}
          className="mono -ml-px h-8 border px-3 text-soft first:rounded-l last:rounded-r hover:bg-raised aria-pressed:bg-raised aria-pressed:font-semibold aria-pressed:text-ink"
        >
          {range.hours} h
        </button>
      ))}
    </fieldset>
  );
}

type Points = Record<System, FlowSeries | undefined>;
type Pointing = { readonly at: number | null; readonly point: (at: number | null) => void };

/** Points at a minute by keyboard, in all charts at once; it appears when it has the focus. */
function Minute({ points, shown, at, point }: { points: Points; shown: FlowSeries } & Pointing) {
  const { zone } = useSettings();
  const last = shown.minutes.length - 1;
  const place = Math.min(at ?? last, last);
  const values = throughput.flatMap(({ system, lines, marks }) =>
    [...lines, ...marks].flatMap(line => {
      const data = points[system];
      return data ? [`${told(valuesOf(data, line)[place] ?? null, line)} ${line.word}`] : [];
    }),
  );
  return (
    <label className="sr-only items-center gap-2 text-soft focus-within:not-sr-only focus-within:flex">
      Minute
      <input
        type="range"
        min={0}
        max={last}
        value={place}
        aria-valuetext={`${clock(Date.parse(shown.minutes[place]!.minute), zone)}: ${values.join(", ")}`}
        onChange={event => point(Number(event.target.value))}
        onFocus={() => point(place)}
        onBlur={() => point(null)}
        className="w-40 accent-accent"
      />
    </label>
  );
}

const linesOf = ({ lines, marks }: FlowChart): readonly Line[] => [...lines, ...marks];
const valuesIn = (chart: FlowChart, series: FlowSeries | undefined) =>
  series ? linesOf(chart).flatMap(line => valuesOf(series, line).map(value => value ?? 0)) : [];
const topOfCounts = (values: readonly number[]) => Math.max(4, values.reduce((most, value) => Math.max(most, value), 0) * 1.1);
/** A power of ten, so that a quiet hour does not look like a wild one. */
const topOfTimes = (values: readonly number[]) =>
  10 ** Math.max(3, Math.ceil(Math.log10(values.reduce((most, value) => Math.max(most, value), 1))));

const usePoints = (series: FlowSeries | undefined, bin: number) => useMemo(() => series && binned(series, bin), [series, bin]);

function drawingOf({ lines, marks }: FlowChart, series: FlowSeries) {
  const drawn = (some: readonly Line[]) => some.map(line => ({ tone: line.tone, values: valuesOf(series, line) }));
  return { times: series.minutes.map(({ minute }) => Date.parse(minute) / 1000), lines: drawn(lines), marks: drawn(marks) };
}

type CellQuery = { readonly data: FlowSeries | undefined; readonly error: unknown; readonly refetch: () => unknown };

interface CellProps extends Pointing {
  readonly chart: FlowChart;
  readonly query: CellQuery;
  readonly points: FlowSeries | undefined;
  /** How many minutes a point is. */
  readonly bin: number;
  readonly top: number;
}

function Cell({ chart, query: { data, error, refetch }, points, bin, top, at, point }: CellProps) {
  const { title, unit } = chart;
  // The same arrays as long as the answer is the same: pointing at a minute draws no chart again.
  const drawing = useMemo(() => points && drawingOf(chart, points), [chart, points]);
  if (error !== null && !data)
    return (
      <div className="min-h-41 border-r border-b">
        <Trouble what={`${title}:`} error={error} retry={() => void refetch()} />
      </div>
    );
  return (
    <figure className="relative flex min-h-41 min-w-0 flex-col border-r border-b px-4 pt-3 pb-1" aria-label={title}>
      <figcaption className="font-medium">
        {title}
        {unit === "count" && <span className="ml-1.5 font-normal text-faint">{bin === 1 ? "a minute" : `in ${bin} minutes`}</span>}
      </figcaption>
      <p className="mb-1 flex min-h-5 flex-wrap gap-x-2.5">
        {data &&
          points &&
          [...chart.marks.toReversed(), ...chart.lines].map(line => (
            <Value key={line.step + line.field} {...{ line, points, at }} whole={data} isMark={chart.marks.includes(line)} />
          ))}
      </p>
      <div className="h-26">
        {drawing && (
          <Suspense>
            <SeriesChart unit={unit} {...drawing} top={top} at={at} point={point} />
          </Suspense>
        )}
      </div>
      {data && <Table chart={chart} series={data} />}
    </figure>
  );
}

const toneText: Record<LineTone, string> = { accent: "text-accent", faint: "text-faint", retry: "text-retry", failed: "text-failed" };

interface ValueProps {
  readonly line: Line;
  readonly points: FlowSeries;
  readonly whole: FlowSeries;
  readonly at: number | null;
  readonly isMark: boolean;
}

/** The value of the point that is pointed at, otherwise of the whole time. What should not be is silent at zero. */
function Value({ line, points, whole, at, isMark }: ValueProps) {
  const value = at === null ? summaryOf(valuesOf(whole, line), line.field) : (valuesOf(points, line)[at] ?? null);
  if (isMark && !value) return null;
  const text = (
    <>
      <span className="mono font-medium">{told(value, line)}</span> {line.word}
    </>
  );
  const className = `whitespace-nowrap ${isMark || line.field !== "count" ? toneText[line.tone] : "text-soft"}`;
  if (!line.list) return <span className={className}>{text}</span>;
  const { to, status } = line.list;
  return (
    <Link to={to} search={status ? { status } : {}} className={`${className} hover:underline`}>
      {text}
    </Link>
  );
}

/** What the lines show, for those who do not see them. */
function Table({ chart, series }: { chart: FlowChart; series: FlowSeries }) {
  const { zone } = useSettings();
  const lines = linesOf(chart);
  return (
    <div className="sr-only">
      <table>
        <caption>
          {chart.title}
          {chart.unit === "time" ? ": the usual p50 and the worst p99" : ": how many"}
        </caption>
        <thead>
          <tr>
            <th scope="col">From</th>
            {lines.map(({ word }) => (
              <th key={word} scope="col">
                {word}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rowsOf(series, lines).map(({ from, cells }) => (
            <tr key={from}>
              <th scope="row">{clock(Date.parse(from), zone)}</th>
              {cells.map((cell, index) => (
                <td key={lines[index]!.word}>{told(cell, lines[index]!)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
