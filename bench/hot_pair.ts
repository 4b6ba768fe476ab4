import type { TestKenri } from "../server/testing/kenri.ts";
import { until } from "../stack/wait.ts";
import { type Figure, ms, percentile, perSecond } from "./measure.ts";
import { fillHotOutbox } from "./rows.ts";

const waiting = 20_000;
const quietGrants = 300;
const pause = 10;

/** One pair with many waiting events through the whole pipeline, while other users get grants one at a time, as before and after. */
export async function hotPair(kenri: TestKenri): Promise<Figure[]> {
  for (let n = 0; n < quietGrants; n++) await grantTo(kenri, `warm-${n}`);
  const before = await gaps(kenri, "before", sent => sent === quietGrants);
  await fillHotOutbox(kenri.entitlementSql, 1, waiting);
  const meanwhile = await gaps(kenri, "meanwhile", async () => (await sentToHot(kenri)) === waiting);
  const after = await gaps(kenri, "after", sent => sent === quietGrants);
  const { seconds, outOfOrder } = await drained(kenri);
  const [busy, idle] = [percentile(meanwhile, 95), percentile([...before, ...after], 95)];
  return [
    {
      what: `one pair with ${waiting.toLocaleString("en")} waiting events, to SENT (${outOfOrder} out of order)`,
      value: perSecond(waiting / seconds),
      against: "1,000/s",
      ratio: waiting / seconds / 1000,
      goal: "≥ 1.0",
    },
    {
      what: "meanwhile other users, grant answer → SENT, p95",
      value: ms(busy),
      against: `without that pair: ${ms(idle)}`,
      ratio: busy / idle,
      goal: "≤ 2",
    },
  ];
}

async function grantTo(kenri: TestKenri, user: string): Promise<number> {
  const response = await kenri.grant(user, "item");
  if (response.status !== 200) throw new Error(`a grant got ${response.status}`);
  await response.arrayBuffer();
  const answered = performance.timeOrigin + performance.now();
  await Bun.sleep(pause);
  return answered;
}

/** Grants to new users one after the other until it is enough. Returns the time from each answer to SENT, in milliseconds. */
async function gaps(kenri: TestKenri, run: string, isEnough: (sent: number) => boolean | Promise<boolean>): Promise<number[]> {
  const answered = new Map<string, number>();
  do answered.set(`${run}-${answered.size}`, await grantTo(kenri, `${run}-${answered.size}`));
  while (!(answered.size % 20 === 0 && (await isEnough(answered.size))));
  const rows = () => kenri.notificationSql<{ user_id: string; at: number }[]>`
    select user_id, extract(epoch from sent_at)::float8 * 1000 as at from notifications where user_id like ${`${run}-%`} and status = 'SENT'`;
  await until("all are sent", 60_000, async () => (await rows()).length === answered.size);
  return (await rows()).map(({ user_id, at }) => at - answered.get(user_id)!);
}

/** The counter of the feed is cheap to read. */
async function sentToHot({ notificationSql }: TestKenri): Promise<number> {
  const [row] = await notificationSql`select position from inbox_positions where user_id = 'hot-1'`;
  return Number(row?.position ?? 0);
}

async function drained({ notificationSql }: TestKenri): Promise<{ seconds: number; outOfOrder: number }> {
  const [row] = await notificationSql<{ seconds: number; out_of_order: number }[]>`
    select extract(epoch from max(sent_at) - min(sent_at))::float8 as seconds, count(*) filter (where aggregate_version <> position)::int as out_of_order
    from notifications where user_id = 'hot-1'`;
  return { seconds: row!.seconds, outOfOrder: row!.out_of_order };
}
