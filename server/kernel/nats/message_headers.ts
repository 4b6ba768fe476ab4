import type { Msg } from "@nats-io/nats-core";

/** Stands for the headers of a message that cannot be read. */
const unreadableHeader = "Kenri-Unreadable-Headers";

/**
 * The headers of a message, the first value of each. NATS passes on any bytes, but its client throws if the name of a header has other characters than
 * those of visible ASCII. Such a message has one header instead, which says why.
 */
export function headersOf(message: Pick<Msg, "headers">): Record<string, string> {
  try {
    return Object.fromEntries([...(message.headers ?? [])].map(([name, [first = ""]]) => [name, first]));
  } catch (error) {
    return { [unreadableHeader]: (error as Error).message };
  }
}
