import type { WorkerProcess } from "../../../../server/kernel/operator/seen_workers.ts";

/** `relay@host-a/12/ab3f` runs in `host-a/12`. */
const processOf = ({ worker }: WorkerProcess) => worker.slice(worker.lastIndexOf("@") + 1).replace(/\/[^/]*$/, "");

/** Where the workers run, if that is more than one process, or more than one version. During an update a service may be too old to list them. */
export function processesText(processes: readonly WorkerProcess[] = []): string | undefined {
  const all = Map.groupBy(processes, processOf);
  const versions = new Set(processes.map(({ version }) => version));
  if (all.size < 2 && versions.size < 2) return undefined;
  const nameOf = ({ role, version }: WorkerProcess) => `${role.replace(/^\w+:/, "")}${versions.size > 1 ? ` ${version}` : ""}`;
  return `Processes: ${[...all]
    .map(([place, workers]) => `${workers.map(nameOf).toSorted().join(", ")} in ${place}`)
    .toSorted()
    .join("; ")}`;
}
