import { findPrometheus } from "../../stack/prometheus_binary.ts";

const found = findPrometheus({ say: line => console.log(line) });
// Whoever uses it gets the error.
found.catch(() => {});

/** Runs `promtool check metrics`. Metrics that follow the rules of Prometheus have code 0 and no output. */
export async function checkMetrics(text: string): Promise<{ code: number; output: string }> {
  const child = Bun.spawn([(await found).promtool, "check", "metrics"], { stdin: new Blob([text]), stdout: "pipe", stderr: "pipe" });
  const output = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { code: await child.exited, output: output.join("") };
}

/**
 * promtool skips a metric without a sample, such as a counter with labels before it has counted anything. This adds a sample to each of them, so that
 * the names of all metrics are checked.
 */
export function withSamples(text: string): string {
  return text.replaceAll(/^# TYPE (\w+) (\w+)\n(?!\1)/gm, (line, name, type) => {
    const samples = type === "histogram" ? [`${name}_bucket{le="+Inf"}`, `${name}_sum`, `${name}_count`] : [name];
    return `${line}${samples.map(sample => `${sample} 0\n`).join("")}`;
  });
}
