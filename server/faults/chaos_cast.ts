import { choosePort } from "../../stack/ports.ts";
import type { Stack } from "../../stack/stack.ts";
import type { TestKenri, TestProcess } from "../testing/kenri.ts";

/** A role that always has a running process. */
export interface Part {
  readonly name: string;
  readonly role: string;
  /** Kills the process as by a power cut and starts another one, which may have a fault of its own. */
  kill(fault?: Record<string, string>): Promise<void>;
  pause(): void;
  resume(): void;
  /** Stops it gracefully. Returns its exit code. */
  stop(): Promise<number>;
  readonly process: () => TestProcess;
  /** Every process that had this role. */
  readonly past: readonly TestProcess[];
}

function part(kenri: TestKenri, name: string, role: string, environment: Record<string, string>): Part {
  const past = [kenri.launch(role, environment)];
  const current = () => past.at(-1)!;
  return {
    name,
    role,
    process: current,
    past,
    async kill(fault = {}) {
      current().kill("SIGKILL");
      await current().exited;
      past.push(kenri.launch(role, { ...environment, ...fault }));
    },
    pause: () => current().kill("SIGSTOP"),
    resume: () => current().kill("SIGCONT"),
    stop: () => current().stop(),
  };
}

export interface Cast {
  readonly parts: readonly Part[];
  /** The URLs for clients. */
  readonly bases: readonly string[];
}

/** Two processes of every role, as on two machines. One consumer delivers what it stores, the other leaves it to the senders. */
export async function cast(kenri: TestKenri, stack: Stack<"postgres" | "nats">): Promise<Cast> {
  const ports = [await choosePort(stack.dir, "api-a"), await choosePort(stack.dir, "api-b")];
  const workers = ["entitlement:relay", "notification:consumer", "notification:sender"];
  const parts = [
    ...ports.map((port, index) => part(kenri, `api ${index}`, "entitlement:api", { ENTITLEMENT_PORT: String(port) })),
    ...workers.flatMap(role =>
      [0, 1].map(index =>
        part(kenri, `${role} ${index}`, role, { HEALTH_PORT: "0", ...(index === 1 ? { NOTIFICATION_FIRST_ATTEMPT: "sender" } : {}) }),
      ),
    ),
  ];
  return { parts, bases: ports.map(port => `http://127.0.0.1:${port}`) };
}
