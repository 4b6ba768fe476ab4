import type { Log } from "../telemetry/log.ts";
import type { Metrics } from "../telemetry/metrics.ts";
import type { Faults } from "./fault.ts";
import type { Health } from "./health.ts";
import { type Service, service } from "./service.ts";

/** What a role gets from whoever runs it: a worker thread of its system, or a process of its own. */
export interface RoleContext {
  /** `entitlement:relay` */
  readonly role: string;
  /** Names this runner in claims and logs. */
  readonly worker: string;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly health: Health;
  readonly faults: Faults;
  /** Ends this runner because its work does not go on, so that it is started again: the thread, or the process with exit code 1. */
  readonly giveUp: (why: string) => void;
  /** /metrics of this role: its own and those of its worker threads. */
  readonly metricsText: () => Promise<string>;
}

/** What the workers of a role may be told from elsewhere in the process. Other processes find work by polling. */
type RoleMessage =
  | { readonly wake: true }
  | { readonly reconcile: true }
  | { readonly failUsersWith: string }
  | { readonly crash: true }
  | { readonly stick: true };

const channelOf = (role: string) => new BroadcastChannel(`kenri ${role}`);

export interface RoleChannel {
  /** There is work. */
  wake(): void;
  /** Somebody wants the books compared now. */
  reconcile(): void;
  /** Publishes and sends for users with this prefix are to fail; empty = nobody. */
  failUsersWith(prefix: string): void;
  /** The worker is to end as by a bug: with an error that nobody catches. */
  crash(): void;
  /** The worker's work is to stand still from now on, as by a bug. */
  stick(): void;
  close(): void;
}

export function roleChannel(role: string): RoleChannel {
  const channel = channelOf(role);
  const post = (notice: RoleMessage) => channel.postMessage(notice);
  return {
    wake: () => post({ wake: true }),
    reconcile: () => post({ reconcile: true }),
    failUsersWith: failUsersWith => post({ failUsersWith }),
    crash: () => post({ crash: true }),
    stick: () => post({ stick: true }),
    close: () => channel.close(),
  };
}

/** Hears what is told to this role, from start to stop. */
export function subscribeRole(
  { role, faults }: Pick<RoleContext, "role" | "faults">,
  wake: () => void,
  reconcile: () => void = () => {},
): Service {
  let channel: BroadcastChannel | undefined;
  return service({
    async start() {
      channel = channelOf(role);
      channel.onmessage = ({ data }: { data: RoleMessage }) => {
        if ("wake" in data) wake();
        else if ("reconcile" in data) reconcile();
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
