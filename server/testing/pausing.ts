import { until } from "../../stack/wait.ts";
import type { TestKenri, TestProcess, TestSystem } from "./kenri.ts";

export interface RoleAnswer {
  readonly role: string;
  readonly paused: { readonly paused_at: string; readonly paused_by: string; readonly reason: string } | null;
}

/** Pauses or resumes a role (`<system>:<role>`) by its API. */
async function act(kenri: TestKenri, action: "pause" | "resume", role: string, reason = "maintenance"): Promise<RoleAnswer> {
  const [system, name] = role.split(":") as [TestSystem, string];
  const headers = { "content-type": "application/json" };
  const response = await kenri.call(system, `/ops/roles/${name}/${action}`, { method: "POST", headers, body: JSON.stringify({ reason }) });
  if (response.status !== 200) throw new Error(`${action} of ${role}: ${response.status} ${await response.text()}`);
  return (await response.json()) as RoleAnswer;
}

export const pause = (kenri: TestKenri, role: string, reason?: string) => act(kenri, "pause", role, reason);
export const resume = (kenri: TestKenri, role: string, reason?: string) => act(kenri, "resume", role, reason);

/** Waits until every role of these processes that follows the pauses of a role knows that it is paused. */
export const isPausedIn = (role: string, ...processes: readonly TestProcess[]) =>
  until(`${role} is paused everywhere`, 10_000, async () => {
    const urls = processes.flatMap(({ lines }) =>
      lines.filter(line => line.includes("health.listening")).map(line => JSON.parse(line).url),
    );
    const texts = await Promise.all(urls.map(async url => (await fetch(`${url}/metrics`)).text()));
    const told = texts.flatMap(text => text.split("\n").filter(line => line.startsWith(`kenri_paused{role="${role}"}`)));
    return told.length >= processes.length && told.every(line => line.endsWith(" 1"));
  });
