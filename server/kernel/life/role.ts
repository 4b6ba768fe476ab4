import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Tracer } from "../telemetry/spans.ts";
import type { Faults } from "./fault.ts";
import type { Health } from "./health.ts";
import { type Service, service } from "./service.ts";

/** What a role gets from its runner: a worker thread of its system, or a process of its own. */
export interface RoleContext {
  /** `<system>:<role>` */
  readonly role: string;
  /** Names this runner in claims and logs. */
  readonly worker: string;
  /** The workers that its system declares, `<system>:<role>`. */
  readonly workerRoles: readonly string[];
  /** Of Kenri. */
  readonly version: string;
  readonly log: Log;
  readonly metrics: Metrics;
  /** Undefined if traces are off. */
  readonly tracer?: Tracer | undefined;
  readonly health: Health;
  readonly faults: Faults;
  /** Ends this runner because its work makes no progress, so that it is started again: the thread, or the process with exit code 1. */
  readonly giveUp: (why: string) => void;
  /** /metrics of this role: its own and those of its worker threads. */
  readonly metricsText: () => Promise<string>;
}

/** Messages to the workers of a role in the same process. Workers in other processes find their work by polling. */
type RoleMessage =
  | { readonly wake: true }
  | { readonly message: string }
  | { readonly failUsersWith: string }
  | { readonly crash: true }
  | { readonly stick: true };

const channelOf = (role: string) => new BroadcastChannel(`kenri ${role}`);

export interface RoleChannel {
  /** There is work. */
  wake(): void;
  /** Sends a message that the role's system defines; the role handles it by this name. */
  send(message: string): void;
  /** Publishes and sends for users with this prefix fail from now on; empty = nobody's. */
  failUsersWith(prefix: string): void;
  /** The worker ends with an uncaught error. */
  crash(): void;
  /** The worker's work stands still from now on. */
  stick(): void;
  close(): void;
}

export function roleChannel(role: string): RoleChannel {
  const channel = channelOf(role);
  const post = (message: RoleMessage) => channel.postMessage(message);
  return {
    wake: () => post({ wake: true }),
    send: message => post({ message }),
    failUsersWith: failUsersWith => post({ failUsersWith }),
    crash: () => post({ crash: true }),
    stick: () => post({ stick: true }),
    close: () => channel.close(),
  };
}

/** Receives the messages to this role, from start to stop. `handlers`: what to do for each message that the system defines. */
export function subscribeRole(
  { role, faults }: Pick<RoleContext, "role" | "faults">,
  wake: () => void,
  handlers: Readonly<Record<string, () => void>> = {},
): Service {
  let channel: BroadcastChannel | undefined;
  function handle(message: string): void {
    const handler = handlers[message];
    if (!handler) throw new Error(`${role} does not handle the message ${message}`);
    handler();
  }
  return service({
    async start() {
      channel = channelOf(role);
      channel.onmessage = ({ data }: { data: RoleMessage }) => {
        if ("wake" in data) wake();
        else if ("message" in data) handle(data.message);
        else if ("crash" in data) setTimeout(crash);
        else if ("stick" in data) faults.isStuck = true;
        else faults.failUsersWith = data.failUsersWith;
      };
    },
    stop: async () => channel?.close(),
  });
}

function crash(): never {
  throw new Error("fault: the worker is made to crash");
}
