/** `bun run bench [part …]`: measures in one run on private servers and prints one table. */
import { join } from "node:path";
import { type TestKenri, type TestProcess, testKenri } from "../server/testing/kenri.ts";
import { answerHelp } from "../stack/help.ts";
import { forgetStack, startStack } from "../stack/stack.ts";
import { backlog } from "./backlog.ts";
import { operatorReads } from "./console.ts";
import { drain } from "./drain.ts";
import { gateway } from "./gateway.ts";
import { grants } from "./grants.ts";
import { hotPair } from "./hot_pair.ts";
import { hotPairs } from "./hot_pairs.ts";
import { idle } from "./idle.ts";
import { latency } from "./latency.ts";
import { matchmaking } from "./matchmaking.ts";
import { type Figure, printTable } from "./measure.ts";
import { memory } from "./memory.ts";
import { neighbours } from "./neighbours.ts";
import { orders } from "./orders.ts";
import { profile, profileSettings } from "./profile.ts";
import { relay } from "./relay.ts";
import { tracing } from "./tracing.ts";
import { whole } from "./whole.ts";

type Part = (kenri: TestKenri, process: TestProcess) => Promise<Figure[]>;

// The processes beside a part: none (it works on the tables itself), an API alone, or all.
const parts: Record<string, { readonly run: Part; readonly processes: string }> = {
  grants: { run: grants, processes: "entitlement:api" },
  tracing: { run: tracing, processes: "" },
  whole: { run: () => whole(another, stack), processes: "" },
  profile: { run: () => profile(another, stack), processes: "" },
  relay: { run: kenri => relay(kenri, stack), processes: "" },
  latency: { run: latency, processes: "entitlement notification" },
  backlog: { run: large => besideSmall(large, backlog), processes: "" },
  drain: { run: () => drain(another), processes: "" },
  idle: { run: () => idle(another, stack), processes: "" },
  hot_pair: { run: hotPair, processes: "entitlement notification" },
  hot_pairs: { run: long => besideSmall(long, hotPairs), processes: "" },
  console: {
    run: large => besideSmall(large, operatorReads, "entitlement:api notification:api"),
    processes: "entitlement:api notification:api",
  },
  memory: { run: memory, processes: "entitlement notification" },
  gateway: { run: kenri => gateway(kenri, stack), processes: "" },
  neighbours: { run: kenri => neighbours(kenri, stack), processes: "" },
  orders: { run: large => besideSmall(large, orders), processes: "" },
  matchmaking: { run: kenri => matchmaking(kenri, stack), processes: "" },
};

answerHelp(
  `usage: npx bun run bench [part …]

Measures on private servers and prints one table. Without arguments: every part. Parts: ${Object.keys(parts).join(", ")}.
With KENRI_BEFORE=<path of another checkout> the parts tracing, whole, drain and idle also measure that one, in turns.`,
  { takes: argument => Object.hasOwn(parts, argument) },
);
const wanted = process.argv.slice(2);
const dir = join(import.meta.dir, `../.stack/bench-${process.pid}`);
const stack = await startStack({
  dir,
  servers: ["postgres", "nats", "redis", "idp"],
  natsForTests: true,
  postgresSettings: wanted.includes("profile") ? profileSettings : {},
  say: line => console.error(line),
});
// As in production; tests have shorter ones.
const usualIntervals = {
  OUTBOX_POLL: "1s",
  OUTBOX_SWEEP: "3s",
  OUTBOX_RECONCILE: "1s",
  NOTIFICATION_POLL: "1s",
  NOTIFICATION_SWEEP: "3s",
  ERASURE_EVERY: "5s",
};
const another = () =>
  testKenri(
    { LOG_LEVEL: "info", ...usualIntervals },
    { postgresUrl: stack.postgres.adminUrl, natsUrl: stack.nats.url, natsRoleUrls: stack.nats.roleUrls, redisUrl: stack.redis.url },
  );
const figures: Figure[] = [];
try {
  for (const [name, { run, processes }] of Object.entries(parts)) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    console.error(`measuring ${name} …`);
    const kenri = await another();
    try {
      await kenri.entitlementSql`checkpoint`; // no part pays for the unwritten pages of the part before
      const running = processes ? await kenri.start(processes) : undefined;
      const measured = await run(kenri, running!);
      for (const { what, ratio } of measured) console.error(`  ${what}: ${ratio?.toFixed(2)}`);
      figures.push(...measured);
    } finally {
      await kenri.close();
    }
  }
} finally {
  await stack.stop();
  forgetStack(dir);
}
printTable(figures);

async function besideSmall(
  large: TestKenri,
  compare: (small: TestKenri, large: TestKenri) => Promise<Figure[]>,
  processes = "",
): Promise<Figure[]> {
  const small = await another();
  try {
    if (processes) await small.start(processes);
    return await compare(small, large);
  } finally {
    await small.close();
  }
}
