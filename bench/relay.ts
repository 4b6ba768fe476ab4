import { jetstream } from "@nats-io/jetstream";
import { headers as natsHeaders } from "@nats-io/transport-node";
import { encodeMessage } from "../server/entitlement/event.ts";
import type { OutboxClaimRow } from "../server/entitlement/sql.gen.ts";
import type { EventMessage } from "../server/kernel/nats/publisher.ts";
import { ensureStream } from "../server/kernel/nats/streams.ts";
import type { TestKenri } from "../server/testing/kenri.ts";
import { connectTo } from "../server/testing/nats.ts";
import { until } from "../stack/wait.ts";
import { type Figure, perSecond } from "./measure.ts";
import { fillOutbox } from "./rows.ts";

const count = 40_000;
const window = 500;

/** Events per second from the outbox to the stream, including claims and settling, compared with bare JetStream publishes of the same messages. */
export async function relay(kenri: TestKenri): Promise<Figure[]> {
  await fillOutbox(kenri.entitlementSql, count, "PENDING");
  const raw = await rawPublish(kenri);
  const large = await drain(kenri, "500");
  await kenri.entitlementSql`truncate outbox_events`;
  await fillOutbox(kenri.entitlementSql, count, "PENDING");
  const small = await drain(kenri, "200");
  const figure = (batch: string, relayed: number, goal: string): Figure => ({
    what: `relay, two lanes of ${batch}`,
    value: perSecond(relayed),
    against: `bare JetStream publish, windows of ${window}: ${perSecond(raw)}`,
    ratio: relayed / raw,
    goal,
  });
  return [figure("500", large, "≥ 0.6"), figure("200", small, "")];
}

/** The same messages, encoded before the measurement, with nothing but the publish. */
async function rawPublish(kenri: TestKenri): Promise<number> {
  const nats = await connectTo(kenri.environment.NATS_URL!);
  await ensureStream(nats, { name: "bench-raw", subject: "bench.raw", maxAge: 600_000, duplicateWindow: 120_000, replicas: 1 });
  const js = jetstream(nats);
  const messages = (await kenri.entitlementSql<OutboxClaimRow[]>`select * from outbox_events`).map(encodeMessage);
  const publish = ({ id, data, headers }: EventMessage) => {
    const all = natsHeaders();
    for (const [name, value] of Object.entries(headers)) all.set(name, value);
    return js.publish("bench.raw", data, { msgID: id, headers: all });
  };
  const since = performance.now();
  for (let n = 0; n < count; n += window) await Promise.all(messages.slice(n, n + window).map(publish));
  const rate = (count * 1000) / (performance.now() - since);
  await nats.close();
  return rate;
}

async function drain(kenri: TestKenri, batch: string): Promise<number> {
  const process = await kenri.start("entitlement:relay", { OUTBOX_BATCH: batch, OUTBOX_LANES: "2", LOG_LEVEL: "warn" });
  await until(
    "the outbox is drained",
    120_000,
    async () => {
      const [row] = await kenri.entitlementSql`select exists (select from outbox_events where status in ('PENDING', 'IN_FLIGHT')) as open`;
      return !row!.open;
    },
    100,
  );
  // By the database's clock, from the first published event to the last, without the first tenth as warm-up.
  const [row] = await kenri.entitlementSql`
    with times as (select published_at, row_number() over (order by published_at) as n from outbox_events where status = 'PUBLISHED')
    select (select count(*) from times where n > ${count / 10}) / extract(epoch from max(published_at) - min(published_at))::float8 as rate from times where n > ${count / 10}`;
  await process.stop();
  return row!.rate as number;
}
