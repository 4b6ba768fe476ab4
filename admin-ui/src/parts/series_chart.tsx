import { useEffect, useRef } from "react";
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Chart, LineTone } from "./chart_lines.ts";
import type { Scale } from "./chart_scale.ts";
import { clock, number, span } from "./format.ts";
import { useSettings } from "./settings.ts";

export interface SeriesChartProps {
  readonly unit: Chart["unit"];
  /** Seconds since 1970; the last one is still running. */
  readonly times: readonly number[];
  readonly lines: readonly { readonly tone: LineTone; readonly values: readonly (number | null)[] }[];
  readonly marks: readonly { readonly tone: LineTone; readonly values: readonly (number | null)[] }[];
  /** The ends of the axis, the same for charts that are compared. */
  readonly scale: Scale;
  /** The selected index, in this or another chart. */
  readonly at: number | null;
  readonly point: (at: number | null) => void;
}

const height = 104;
const leastMark = 5;
const classes: Record<LineTone | "line", string> = {
  accent: "text-accent",
  faint: "text-faint",
  retry: "text-retry",
  failed: "text-failed",
  line: "text-line",
};

/** A theme colour in the form that a canvas needs. */
function colorOf(root: HTMLElement, tone: LineTone | "line"): string {
  const probe = document.createElement("span");
  probe.className = classes[tone];
  root.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

type Values = (number | null)[];
/** Up to the last complete minute; from there to the current, incomplete one. */
const settled = (values: readonly (number | null)[]): Values => [...values.slice(0, -1), null];
const running = (values: readonly (number | null)[]): Values => values.map((value, index) => (index >= values.length - 2 ? value : null));
/** Values without a neighbour: no line connects them. */
const alone = (values: ArrayLike<number | null | undefined>): number[] =>
  Array.from(values, (value, index) => (value != null && values[index - 1] == null && values[index + 1] == null ? index : -1)).filter(
    index => index >= 0,
  );

/** Lines over time on a canvas, loaded with the first chart. The page shows the same values as text and as a table. */
export default function SeriesChart(props: SeriesChartProps) {
  const { unit, times, lines, marks, scale, at } = props;
  const { zone, theme } = useSettings();
  const place = useRef<HTMLDivElement>(null);
  const chart = useRef<uPlot>(undefined);
  const latest = useRef(props);
  latest.current = props;
  const shape = `${unit} ${lines.length} ${zone}`;

  // biome-ignore lint/correctness/useExhaustiveDependencies: created again when its shape changes; setData below updates the values
  useEffect(() => {
    const root = place.current!;
    const made = new uPlot(optionsOf(root, latest, zone), dataOf(latest.current), root);
    chart.current = made;
    const observer = new ResizeObserver(() => made.setSize({ width: root.clientWidth, height }));
    observer.observe(root);
    const dark = matchMedia("(prefers-color-scheme: dark)");
    const repaint = () => made.redraw();
    dark.addEventListener("change", repaint);
    return () => {
      dark.removeEventListener("change", repaint);
      observer.disconnect();
      made.destroy();
    };
  }, [shape]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: redrawn when any of these changes
  useEffect(() => {
    chart.current?.setData(dataOf(latest.current));
  }, [times, lines, marks, scale.bottom, scale.top, theme]);

  useEffect(() => {
    const drawn = chart.current;
    if (!drawn || (drawn.cursor.idx ?? null) === at) return;
    const time = at === null ? undefined : times[at];
    drawn.setCursor(time === undefined ? { left: -10, top: -10 } : { left: drawn.valToPos(time, "x"), top: 0 }, false);
  }, [at, times]);

  return <div ref={place} className="h-26 w-full" />;
}

/** Values outside the scale are drawn at its end. */
const dataOf = ({ times, lines, scale }: SeriesChartProps): uPlot.AlignedData => {
  const drawn = (values: readonly (number | null)[]) =>
    values.map(value => (value === null ? null : Math.max(scale.bottom, Math.min(value, scale.top))));
  return [[...times], ...lines.flatMap(({ values }) => [settled(drawn(values)), running(drawn(values))])] as uPlot.AlignedData;
};

function optionsOf(root: HTMLElement, latest: { current: SeriesChartProps }, zone: "local" | "utc"): uPlot.Options {
  const { unit, lines } = latest.current;
  const font = `11px ${getComputedStyle(document.body).fontFamily}`;
  const axis = {
    font,
    stroke: () => colorOf(root, "faint"),
    grid: { stroke: () => colorOf(root, "line"), width: 1 },
    ticks: { show: false },
  };
  const seriesOf = (tone: LineTone, dash: number[]): uPlot.Series => ({
    stroke: () => colorOf(root, tone),
    width: tone === "faint" ? 1 : 1.5,
    dash,
    points: { show: true, size: 4, fill: () => colorOf(root, tone), filter: (u, series) => alone(u.data[series] as Values) },
  });
  return {
    width: root.clientWidth,
    height,
    padding: [unit === "time" ? 14 : 6, 18, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: false, y: false }, points: { size: 6 } },
    tzDate: seconds => (zone === "utc" ? uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC") : new Date(seconds * 1000)),
    scales: {
      y: { distr: unit === "time" ? 3 : 1, range: () => [latest.current.scale.bottom, latest.current.scale.top] },
    },
    axes: [
      { ...axis, size: 24, gap: 5, space: 56, values: (_, splits) => splits.map(seconds => clock(seconds * 1000, zone)) },
      {
        ...axis,
        size: 56,
        gap: 4,
        ...(unit === "time"
          ? {
              splits: () => powersIn(latest.current.scale),
              filter: readable,
              grid: { ...axis.grid, filter: all },
              values: (_, splits) => splits.map(split => (split === null ? null : duration(split))),
            }
          : { space: 20, incrs: steps, values: (_, splits) => splits.map(short) }),
      },
    ],
    series: [{}, ...lines.flatMap(({ tone }) => [seriesOf(tone, []), seriesOf(tone, [3, 3])])],
    hooks: {
      draw: [u => drawMarks(u, root, latest.current), u => drawOutliers(u, root, latest.current)],
      setCursor: [
        u => {
          const idx = (u.cursor.left ?? -1) < 0 ? null : (u.cursor.idx ?? null);
          if (idx !== latest.current.at) latest.current.point(idx);
        },
      ],
    },
  };
}

const steps = [1, 10, 100, 1e3, 1e4, 1e5, 1e6].flatMap(power => [power, 2 * power, 5 * power]);
/** Keeps all labels; by default the library drops some. */
const all = (_: uPlot, splits: number[]) => splits;
/** With more labels than this, every second label is left out to avoid overlap. */
const mostLabels = 5;
const readable = (_: uPlot, splits: number[]) =>
  splits.map((split, index) => (splits.length > mostLabels && index % 2 === 1 ? null : split)) as number[];
const powersIn = ({ bottom, top }: Scale) =>
  Array.from({ length: Math.round(Math.log10(top / bottom)) + 1 }, (_, power) => bottom * 10 ** power);
const duration = (milliseconds: number) => (milliseconds < 1000 ? `${milliseconds} ms` : `${number(milliseconds / 1000)} s`);
const compact = new Intl.NumberFormat("en", { notation: "compact" });
const short = (value: number) => (value < 1000 ? number(value) : compact.format(value));

/** Unwanted counts as bars on the time axis, visible even if they are small. */
function drawMarks(u: uPlot, root: HTMLElement, { times, marks }: SeriesChartProps): void {
  const { left, top, width, height: tall } = u.bbox;
  const wide = Math.max(3 * devicePixelRatio, (width / times.length) * 0.7);
  for (const { tone, values } of marks) {
    u.ctx.fillStyle = colorOf(root, tone);
    values.forEach((value, index) => {
      if (!value) return;
      const high = Math.max(leastMark * devicePixelRatio, top + tall - u.valToPos(value, "y", true));
      const x = Math.min(left + width - wide, Math.max(left, u.valToPos(times[index]!, "x", true) - wide / 2));
      u.ctx.fillRect(x, top + tall - high, wide, high);
    });
  }
}

const arrow = 7;

/** Values above the scale get an arrow at the top. The highest one also gets its number. */
function drawOutliers(u: uPlot, root: HTMLElement, { times, lines, scale }: SeriesChartProps): void {
  const outliers = lines.flatMap(({ values }) =>
    values.flatMap((value, index) => (value !== null && value > scale.top ? [{ value, index }] : [])),
  );
  if (outliers.length === 0) return;
  const { ctx, bbox } = u;
  const size = arrow * devicePixelRatio;
  ctx.save();
  ctx.fillStyle = colorOf(root, "retry");
  for (const { index } of outliers) {
    const x = u.valToPos(times[index]!, "x", true);
    ctx.beginPath();
    ctx.moveTo(x, bbox.top - size);
    ctx.lineTo(x + size / 2, bbox.top);
    ctx.lineTo(x - size / 2, bbox.top);
    ctx.fill();
  }
  const highest = outliers.reduce((most, one) => (one.value > most.value ? one : most));
  const x = u.valToPos(times[highest.index]!, "x", true);
  const isLeft = x > bbox.left + bbox.width / 2;
  ctx.font = `${11 * devicePixelRatio}px ${getComputedStyle(document.body).fontFamily}`;
  ctx.textAlign = isLeft ? "right" : "left";
  ctx.textBaseline = "bottom";
  ctx.fillText(span(highest.value), x + (isLeft ? -size : size), bbox.top + devicePixelRatio);
  ctx.restore();
}
