import { Problem, unavailable } from "../../kernel/http/problem.ts";
import { loop } from "../../kernel/life/loop.ts";
import { type Service, service } from "../../kernel/life/service.ts";
import type { Broker } from "../../kernel/nats/broker.ts";
import { subjectToken } from "../../kernel/nats/subject.ts";
import { RedisAway } from "../../kernel/redis/redis.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { Call, Downstream } from "../calls/downstream.ts";
import type { People } from "../edge/people.ts";
import type { SignedInRequest } from "../edge/session_guard.ts";
import type { Sessions } from "../edge/sessions.ts";
import { type EventStream, eventStream } from "./event_stream.ts";
import { hints } from "./hints.ts";

export interface StreamsOptions {
  readonly services: Downstream;
  readonly sessions: Sessions;
  readonly people: People;
  readonly broker: Broker;
  readonly subject: string;
  readonly heartbeat: number;
  readonly perUser: number;
  readonly most: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface Streams extends Service {
  open(guest: SignedInRequest, after: number | undefined): Promise<Response>;
}

interface Feed {
  readonly notifications: readonly { readonly position: number }[];
}

const page = 100;

/**
 * Open streams of server-sent events. What they say is read from notification's feed by position, so nothing is missing or doubled
 * whatever becomes of a hint, a connection or a gateway; hints only make it quick.
 */
export function createStreams(options: StreamsOptions): Streams {
  const { services, sessions, people, broker, heartbeat, perUser, most, log, metrics } = options;
  const openNow = metrics.gauge("gateway_streams", "Streams open at this gateway.", [], "sum");
  const told = metrics.counter("gateway_streamed_total", "Notifications told on streams.");
  const hinted = hints(broker, userId => `${options.subject}.${subjectToken(userId)}`);
  const open = new Map<EventStream, string>();
  let closed = false;

  function admit(userId: string): void {
    if (closed) throw unavailable("this gateway is about to stop; connect again");
    const own = [...open.values()].filter(other => other === userId).length;
    if (own < perUser && open.size < most) return;
    throw new Problem(429, "TOO_MANY_STREAMS", "too many streams are open; close one first", { headers: { "retry-after": "5" } });
  }

  const ask = <T>({ errand }: SignedInRequest, rest: string, call?: Call) =>
    services.ask<T>("notification", `/v1/users/${encodeURIComponent(errand.person.userId)}/notifications${rest}`, errand, call);

  /** Whether the person may still listen: the session lives and the account is active. */
  async function mayListen({ session, errand }: SignedInRequest): Promise<boolean> {
    return (await sessions.exists(session)) && (await people.find(session.userId, errand)).account_status === "ACTIVE";
  }

  /** Tells what came after `position`, page by page, until the stream ends. */
  function tell(guest: SignedInRequest, stream: EventStream, from: number) {
    let position = from;
    async function runOnce(): Promise<number> {
      if (!(await mayListen(guest))) {
        stream.send({ name: "end", data: {} });
        stream.close();
        return 0;
      }
      // An open stream asks one question at a time, and a user has so many streams at most.
      const { notifications } = await ask<Feed>(guest, `/feed?after=${position}&limit=${page}`, { isCountedElsewhere: true });
      for (const one of notifications) stream.send({ id: one.position, name: "notification", data: one });
      position = notifications.at(-1)?.position ?? position;
      told.inc(notifications.length);
      if (notifications.length === 0) stream.beat();
      return notifications.length;
    }
    /** What is away for now is asked again at the next heartbeat; the stream stays. */
    const patient = () =>
      runOnce().catch(error => {
        if (!(error instanceof Problem || error instanceof RedisAway)) throw error;
        stream.beat();
        return 0;
      });
    return loop({ name: "gateway.stream", runOnce: patient, full: page, interval: heartbeat, log, metrics });
  }

  return {
    ...service({
      start: async () => {},
      // A stream never ends by itself; its browser comes back to another gateway with its last id.
      stop: async () => {
        closed = true;
        for (const stream of open.keys()) stream.close();
      },
    }),
    async open(guest, after) {
      const { userId } = guest.session;
      const position = after ?? (await ask<{ position: number }>(guest, "?limit=1")).position;
      admit(userId);
      const stream = eventStream(() => {
        open.delete(stream);
        openNow.set(open.size);
        unlisten();
        void telling.stop();
      });
      const telling = tell(guest, stream, position);
      const unlisten = hinted.listen(userId, telling.wake);
      open.set(stream, userId);
      openNow.set(open.size);
      stream.send({ id: position, name: "ready", data: { position } });
      await telling.start();
      return stream.response;
    },
  };
}
