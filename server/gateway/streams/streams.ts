import { Problem, unavailable } from "../../kernel/http/problem.ts";
import { loop } from "../../kernel/life/loop.ts";
import { type Service, service } from "../../kernel/life/service.ts";
import type { Broker } from "../../kernel/nats/broker.ts";
import { subjectToken } from "../../kernel/nats/subject.ts";
import { RedisAway } from "../../kernel/redis/redis.ts";
import type { Log } from "../../kernel/telemetry/log.ts";
import type { Metrics } from "../../kernel/telemetry/metrics.ts";
import type { Call, Downstream } from "../calls/downstream.ts";
import type { Profiles } from "../edge/profiles.ts";
import type { SignedInRequest } from "../edge/session_guard.ts";
import type { Sessions } from "../edge/sessions.ts";
import { type EventStream, eventStream } from "./event_stream.ts";
import { hints } from "./hints.ts";

export interface StreamsOptions {
  readonly services: Downstream;
  readonly sessions: Sessions;
  readonly profiles: Profiles;
  readonly broker: Broker;
  readonly subject: string;
  readonly heartbeat: number;
  readonly perUser: number;
  readonly most: number;
  readonly log: Log;
  readonly metrics: Metrics;
}

export interface Streams extends Service {
  open(signedIn: SignedInRequest, after: number | undefined): Promise<Response>;
}

interface Feed {
  readonly position: number;
  readonly notifications: readonly { readonly position: number }[];
}

const page = 100;

/**
 * Open streams of server-sent events. Their events are read from notification's feed by position, so none is lost or repeated when a hint, a
 * connection or a gateway is lost. Hints only make them fast.
 */
export function createStreams(options: StreamsOptions): Streams {
  const { services, sessions, profiles, broker, heartbeat, perUser, most, log, metrics } = options;
  const openNow = metrics.gauge("gateway_streams", "Streams open at this gateway.", [], "sum");
  const streamed = metrics.counter("gateway_streamed_total", "Notifications sent on streams.");
  const hinted = hints(broker, userId => `${options.subject}.${subjectToken(userId)}`);
  const open = new Map<EventStream, string>();
  let closed = false;

  function admit(userId: string): void {
    if (closed) throw unavailable("this gateway is about to stop; connect again");
    const own = [...open.values()].filter(other => other === userId).length;
    if (own < perUser && open.size < most) return;
    throw new Problem(429, "TOO_MANY_STREAMS", "too many streams are open; close one first", { headers: { "retry-after": "5" } });
  }

  const ask = <T>({ context }: SignedInRequest, rest: string, call?: Call) =>
    services.ask<T>("notification", `/v1/users/${encodeURIComponent(context.person.userId)}/notifications${rest}`, context, call);

  /** Whether the session still exists and the account is active. */
  async function mayListen({ session, context }: SignedInRequest): Promise<boolean> {
    return (await sessions.exists(session)) && (await profiles.find(session.userId, context)).account_status === "ACTIVE";
  }

  /** Sends the notifications after `from`, page by page, until the stream ends. */
  function sendingLoop(signedIn: SignedInRequest, stream: EventStream, from: number) {
    let position = from;
    async function runOnce(): Promise<number> {
      if (!(await mayListen(signedIn))) {
        stream.send({ name: "end", data: {} });
        stream.close();
        return 0;
      }
      // A stream makes one call at a time, and the streams of a user are limited.
      const feed = await ask<Feed>(signedIn, `/feed?after=${position}&limit=${page}`, { skipsUserLimit: true });
      const { notifications } = feed;
      for (const one of notifications) stream.send({ id: one.position, name: "notification", data: one });
      // Notification's database was restored to an earlier state. Positions are given again, so the browser reads the list and continues from here.
      if (feed.position < position) stream.send({ id: feed.position, name: "reset", data: { position: feed.position } });
      position = feed.position;
      streamed.inc(notifications.length);
      if (notifications.length === 0) stream.beat();
      return notifications.length;
    }
    /** If a dependency is away, the stream stays open and tries again at the next heartbeat. */
    const tolerant = () =>
      runOnce().catch(error => {
        if (!(error instanceof Problem || error instanceof RedisAway)) throw error;
        stream.beat();
        return 0;
      });
    return loop({ name: "gateway.stream", runOnce: tolerant, full: page, interval: heartbeat, log, metrics });
  }

  return {
    ...service({
      start: async () => {},
      // A stream never ends by itself. Its browser reconnects to another gateway with its last id.
      stop: async () => {
        closed = true;
        for (const stream of open.keys()) stream.close();
      },
    }),
    async open(signedIn, after) {
      const { userId } = signedIn.session;
      const position = after ?? (await ask<{ position: number }>(signedIn, "?limit=1")).position;
      admit(userId);
      const stream = eventStream(() => {
        open.delete(stream);
        openNow.set(open.size);
        unlisten();
        void sending.stop();
      });
      const sending = sendingLoop(signedIn, stream, position);
      const unlisten = hinted.listen(userId, sending.wake);
      open.set(stream, userId);
      openNow.set(open.size);
      stream.send({ id: position, name: "ready", data: { position } });
      await sending.start();
      return stream.response;
    },
  };
}
