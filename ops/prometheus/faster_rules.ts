// For drills: the same rules with shorter times, so that an alert that waits minutes fires within seconds.
import { parse, stringify } from "yaml";

interface TimedRule {
  for?: string;
  keep_firing_for?: string;
  expr: string | number;
}
interface RuleGroups {
  groups: { interval?: string; rules: TimedRule[] }[];
}

const secondsOf = { ms: 0.001, s: 1, m: 60, h: 3600, d: 86_400, w: 604_800 } as const;
const toSeconds = (number: string, unit: string) => Number(number) * secondsOf[unit as keyof typeof secondsOf];

/**
 * A file of rules in which every time is divided by the factor:
 * - `for`, `keep_firing_for`, the interval of a group, ranges (`[5m]`) and offsets;
 * - the limit of an age: the number that a metric with `oldest` or `relay_lag` in its name is compared with by `>`;
 * - the seconds of a range that an average is multiplied with, so that it is still the count in the range: `avg_over_time(…[1h]) * 3600`.
 *
 * Everything else stays: shares, counts, the bounds of histograms and of objectives, names and labels.
 */
export function fasterRules(text: string, factor: number): string {
  const file = parse(text) as RuleGroups;
  for (const group of file.groups) {
    if (group.interval !== undefined) group.interval = fasterTime(group.interval, factor);
    for (const rule of group.rules) {
      for (const wait of ["for", "keep_firing_for"] as const) {
        const given = rule[wait];
        if (given !== undefined) rule[wait] = fasterTime(given, factor);
      }
      rule.expr = fasterExpression(String(rule.expr), factor);
    }
  }
  return stringify(file);
}

/** A time of Prometheus in one unit, such as `5m`. */
export function fasterTime(time: string, factor: number): string {
  const [, number, unit] = /^(\d+)(ms|[smhdw])$/.exec(time) ?? [];
  if (number === undefined || unit === undefined) throw new Error(`${time} is no time in one unit, such as 5m`);
  return `${Math.max(1, Math.round((toSeconds(number, unit) * 1000) / factor))}ms`;
}

const shorter = (seconds: number, factor: number) => String(Math.round((seconds / factor) * 1000) / 1000);

export function fasterExpression(expr: string, factor: number): string {
  return expr
    .replace(/\[(\d+)(ms|[smhdw])\]\) \* (\d+)/g, (all, number: string, unit: string, seconds: string) =>
      toSeconds(number, unit) === Number(seconds) ? `[${number}${unit}]) * ${shorter(Number(seconds), factor)}` : all,
    )
    .replace(/\[(\d+(?:ms|[smhdw]))\]/g, (_, range: string) => `[${fasterTime(range, factor)}]`)
    .replace(
      /\[(\d+(?:ms|[smhdw])):(\d+(?:ms|[smhdw]))\]/g,
      (_, range: string, step: string) => `[${fasterTime(range, factor)}:${fasterTime(step, factor)}]`,
    )
    .replace(/\boffset (\d+(?:ms|[smhdw]))/g, (_, back: string) => `offset ${fasterTime(back, factor)}`)
    .replace(
      /(kenri_\w*(?:oldest|relay_lag)\w*\)) > (\d+)/g,
      (_, age: string, limit: string) => `${age} > ${shorter(Number(limit), factor)}`,
    );
}
