import { randomBytes } from "node:crypto";
import type { SystemName } from "./dev_systems.ts";
import { demoUsers } from "./idp/users.ts";
import type { BrokerServer } from "./paper_broker.ts";

export interface BlockFacts {
  urls: Record<SystemName, string>;
  issuer: string;
  broker: Pick<BrokerServer, "url" | "onPaper">;
  prometheus?: string | undefined;
  key: string;
  logs: string;
  envFile: string;
}

/** The addresses and commands for a person after the start. The curl commands work at each start: the user and the idempotency key are new each time. */
export function devBlock({ urls, issuer, broker, prometheus, key, logs, envFile }: BlockFacts): string {
  const tag = randomBytes(3).toString("hex");
  const user = `alice-${tag}`;
  const bearer = `-H 'Authorization: Bearer ${key}'`;
  const body = JSON.stringify({ user_id: user, stock_keeping_unit: "sword", reason: "PURCHASE", purchase_id: `order-${tag}` });
  const names = Object.keys(urls) as SystemName[];
  return [
    "",
    "Kenri is up.",
    "",
    ...names.map(name => `  ${name.padEnd(14)}${urls[name]}   API: ${urls[name]}/openapi`),
    `  ${"sign in".padEnd(14)}${urls.gateway}/   as ${demoUsers.map(({ username }) => username).join(", ")} (password = name)`,
    `  ${"console".padEnd(14)}${urls.gateway}/admin/   as viewer, operator or admin`,
    `  ${"provider".padEnd(14)}${issuer}`,
    broker.onPaper
      ? `  ${"paper broker".padEnd(14)}${broker.url}/   its book, and faults on demand`
      : `  ${"broker".padEnd(14)}${broker.url}`,
    ...(prometheus ? [`  ${"prometheus".padEnd(14)}${prometheus}/alerts`] : []),
    `  ${"API key".padEnd(14)}${key}`,
    `  ${"demo data".padEnd(14)}user demo${broker.onPaper ? ", orders of the client dev" : ""}`,
    `  ${"logs".padEnd(14)}${logs}`,
    `  ${"variables".padEnd(14)}${envFile}`,
    "",
    "Grant, read, and see the notification:",
    "",
    `curl -sS -w '\\n' -X POST ${urls.entitlement}/v1/entitlements/grants ${bearer} -H 'Idempotency-Key: try-${tag}' -H 'Content-Type: application/json' -d '${body}'`,
    `curl -sS -w '\\n' ${urls.entitlement}/v1/users/${user}/entitlements ${bearer}`,
    `curl -sS -w '\\n' ${urls.notification}/debug/notification/inbox/${user} ${bearer}`,
    "",
    "Ctrl-C stops everything.",
  ].join("\n");
}
