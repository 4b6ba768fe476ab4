import { CatchBoundary, Link } from "@tanstack/react-router";
import { lazy, Suspense, useMemo } from "react";
import { type Chart, formatValue, type Line, type LineTone, linesOf, rowsOf, type Series, summaryOf, valuesOf } from "./chart_lines.ts";
import { beyond, type Scale } from "./chart_scale.ts";
import { clock, span } from "./format.ts";
import { ErrorNotice } from "./notices.tsx";
import { useSettings } from "./settings.ts";

const SeriesChart = lazy(() => {
  acceptLanguage();
  return import("./series_chart.tsx");
});

/** The chart library formats numbers in the browser's language. Under the locale POSIX that is `en-US@posix`, which `Intl` refuses. */
function acceptLanguage(): void {
  try {
    new Intl.Locale(navigator.language);
  } catch {
    Object.defineProperty(navigator, "language", { value: "en", configurable: true });
  }
}

/** The selected minute, shared by all charts. */
export type Pointing = { readonly at: number | null; readonly point: (at: number | null) => void };

function drawingOf({ lines, marks }: Chart, series: Series) {
  const drawn = (some: readonly Line[]) => some.map(line => ({ tone: line.tone, values: valuesOf(series, line) }));
  return { times: series.minutes.map(({ minute }) => Date.parse(minute) / 1000), lines: drawn(lines), marks: drawn(marks) };
}

type CellQuery = { readonly data: Series | undefined; readonly error: unknown; readonly refetch: () => unknown };

interface SeriesCellProps extends Pointing {
  readonly chart: Chart;
  readonly query: CellQuery;
  readonly points: Series | undefined;
  /** Minutes per point. */
  readonly bin: number;
  readonly scale: Scale;
}

/** One chart with its values, and a table of them for screen readers. */
export function SeriesCell({ chart, query: { data, error, refetch }, points, bin, scale, at, point }: SeriesCellProps) {
  const { title, unit } = chart;
  // The same arrays for the same response, so that selecting a minute does not redraw the chart.
  const drawing = useMemo(() => points && drawingOf(chart, points), [chart, points]);
  if (error !== null && !data)
    return (
      <div className="min-h-41 border-r border-b">
        <ErrorNotice what={`${title}:`} error={error} retry={() => void refetch()} />
      </div>
    );
  return (
    <figure className="relative flex min-h-41 min-w-0 flex-col border-r border-b px-4 pt-3 pb-1" aria-label={title}>
      <figcaption className="font-medium">
        {title}
        {unit === "count" && <span className="ml-1.5 font-normal text-faint">{bin === 1 ? "a minute" : `in ${bin} minutes`}</span>}
        {unit === "time" && <span className="ml-1.5 font-normal text-faint">log scale</span>}
      </figcaption>
      <p className="mb-1 flex min-h-5 flex-wrap gap-x-2.5">
        {data &&
          points &&
          [...chart.marks.toReversed(), ...chart.lines].map(line => (
            <Value key={line.step + line.field} {...{ line, points, at }} whole={data} isMark={chart.marks.includes(line)} />
          ))}
        {drawing && unit === "time" && <OutOfScale scale={scale} values={drawing.lines.flatMap(({ values }) => values)} />}
      </p>
      <div className="h-26">
        {drawing && (
          <CatchBoundary getResetKey={() => title} errorComponent={NoDrawing}>
            <Suspense>
              <SeriesChart unit={unit} {...drawing} scale={scale} at={at} point={point} />
            </Suspense>
          </CatchBoundary>
        )}
      </div>
      {data && <Table chart={chart} series={data} />}
    </figure>
  );
}

/** The legend of the arrows at the top. */
const OutOfScale = ({ scale, values }: { scale: Scale; values: readonly (number | null)[] }) =>
  beyond(values, scale) !== undefined && (
    <span className="whitespace-nowrap text-retry">{`▲ over ${span(scale.top).replace(".0", "")}`}</span>
  );

/** Shown if the library did not load or does not support the browser. The numbers above are still shown. */
const NoDrawing = () => <p className="text-faint">The chart cannot be drawn in this browser.</p>;

const toneText: Record<LineTone, string> = { accent: "text-accent", faint: "text-faint", retry: "text-retry", failed: "text-failed" };

interface ValueProps {
  readonly line: Line;
  readonly points: Series;
  readonly whole: Series;
  readonly at: number | null;
  readonly isMark: boolean;
}

/** The value of the selected point, or of the whole range. Unwanted counts are hidden at zero. */
function Value({ line, points, whole, at, isMark }: ValueProps) {
  const value = at === null ? summaryOf(valuesOf(whole, line), line.field) : (valuesOf(points, line)[at] ?? null);
  if (isMark && !value) return null;
  const text = (
    <>
      <span className="mono font-medium">{formatValue(value, line)}</span> {line.word}
    </>
  );
  const className = `whitespace-nowrap ${isMark || line.field !== "count" ? toneText[line.tone] : "text-soft"}`;
  if (!line.list) return <span className={className}>{text}</span>;
  const { kind, status } = line.list;
  return (
    <Link to="/$kind" params={{ kind }} search={status ? { status } : {}} className={`${className} hover:underline`}>
      {text}
    </Link>
  );
}

/** The values of the lines for screen readers. */
function Table({ chart, series }: { chart: Chart; series: Series }) {
  const { zone } = useSettings();
  const lines = linesOf(chart);
  return (
    <div className="sr-only">
      <table>
        <caption>
          {chart.title}
          {chart.unit === "time" ? ": median p50 and worst p99" : ": counts"}
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
                <td key={lines[index]!.word}>{formatValue(cell, lines[index]!)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
