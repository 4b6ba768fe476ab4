import { useQuery } from "@tanstack/react-query";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { useLive } from "../../api/live.ts";
import { formatValue, linesOf, valuesOf } from "../../parts/chart_lines.ts";
import { countScaleOf, timeScaleOf } from "../../parts/chart_scale.ts";
import { exact } from "../../parts/format.ts";
import { MinuteSlider } from "../../parts/minute_slider.tsx";
import { Panel } from "../../parts/page.tsx";
import { type Pointing, SeriesCell } from "../../parts/series_cell.tsx";
import { useSettings } from "../../parts/settings.ts";
import { binned, type FlowChart, type FlowSystem, latency, ranges, throughput } from "./flow_charts.ts";
import { ConsumerLag } from "./health_panel.tsx";
import type { FlowSeries } from "./queries.ts";
import { flow } from "./queries.ts";

// A long range changes little in a few seconds.
const slowRefresh = 30_000;

/** Throughput and latency, all charts over the same time range. */
export function Flow() {
  const { hours = "1" } = useSearch({ from: "/" });
  const minutes = Number(hours) * 60;
  const { bin } = ranges.find(range => range.hours === hours) ?? ranges[0];
  const { zone } = useSettings();
  const { refetchInterval } = useLive();
  const live = { refetchInterval: refetchInterval && minutes > 60 ? Math.max(refetchInterval, slowRefresh) : refetchInterval };
  const series = {
    entitlement: useQuery({ ...flow("entitlement", minutes), ...live }),
    notification: useQuery({ ...flow("notification", minutes), ...live }),
  };
  const [at, point] = useState<number | null>(null);
  const points = { entitlement: usePoints(series.entitlement.data, bin), notification: usePoints(series.notification.data, bin) };
  const shown = points.entitlement ?? points.notification;
  const scales = {
    count: countScaleOf(throughput.flatMap(chart => valuesIn(chart, points[chart.system]))),
    time: timeScaleOf(latency.flatMap(chart => valuesIn(chart, points[chart.system]))),
  };
  const cell = (chart: FlowChart) => (
    <SeriesCell
      key={chart.title}
      {...{ chart, bin, at, point }}
      query={series[chart.system]}
      points={points[chart.system]}
      scale={scales[chart.unit]}
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

type Points = Record<FlowSystem, FlowSeries | undefined>;

/** Selects a minute in all charts by keyboard. */
function Minute({ points, shown, at, point }: { points: Points; shown: FlowSeries } & Pointing) {
  const wordsOf = (place: number) =>
    throughput
      .flatMap(chart =>
        linesOf(chart).flatMap(line => {
          const data = points[chart.system];
          return data ? [`${formatValue(valuesOf(data, line)[place] ?? null, line)} ${line.word}`] : [];
        }),
      )
      .join(", ");
  return <MinuteSlider minutes={shown.minutes} wordsOf={wordsOf} at={at} point={point} />;
}

const valuesIn = (chart: FlowChart, series: FlowSeries | undefined) =>
  series ? linesOf(chart).flatMap(line => valuesOf(series, line).map(value => value ?? 0)) : [];

const usePoints = (series: FlowSeries | undefined, bin: number) => useMemo(() => series && binned(series, bin), [series, bin]);
