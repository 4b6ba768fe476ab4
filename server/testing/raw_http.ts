import { connect, type Socket } from "node:net";
import { withTimeout } from "../kernel/life/deadline.ts";

/** A response read from the socket. `closed` without one means that the server closed the connection. */
export interface RawAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** Sends bytes that no HTTP client would send, and reads the first response. */
export async function sendRaw(url: string, bytes: string | Uint8Array, deadline = 5000): Promise<RawAnswer | "closed"> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  try {
    socket.write(bytes);
    return await withTimeout(deadline, "the server", readAnswer(socket));
  } finally {
    socket.destroy();
  }
}

function readAnswer(socket: Socket): Promise<RawAnswer | "closed"> {
  let received = Buffer.alloc(0);
  return new Promise(resolve => {
    const look = (ended: boolean) => {
      const answer = parse(received, ended);
      if (answer) resolve(answer);
      else if (ended) resolve("closed");
    };
    socket.on("data", chunk => {
      received = Buffer.concat([received, Buffer.from(chunk)]);
      look(false);
    });
    socket.on("error", () => look(true));
    socket.on("close", () => look(true));
  });
}

function parse(received: Buffer, ended: boolean): RawAnswer | undefined {
  const end = received.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = received.subarray(0, end).toString("latin1").split("\r\n");
  const headers = new Headers(
    lines.map(line => [line.slice(0, line.indexOf(":")), line.slice(line.indexOf(":") + 1).trim()] as [string, string]),
  );
  const body = received.subarray(end + 4);
  const length = Number(headers.get("content-length") ?? (ended ? body.length : Number.POSITIVE_INFINITY));
  if (body.length < length) return undefined;
  return { status: Number(first.split(" ")[1]), headers, text: body.subarray(0, length).toString() };
}
