// The most bytes that wait for a slow browser. Beyond them the stream is closed; the browser reconnects with its last id.
const mostWaiting = 1_048_576;

export interface EventStream {
  readonly response: Response;
  send(event: { readonly id?: number; readonly name: string; readonly data: unknown }): void;
  /** Sends a comment, so that proxies and the browser keep the connection open. */
  beat(): void;
  close(): void;
}

/** A stream of server-sent events. `ended` is called once, whichever side ends it. */
export function eventStream(ended: () => void): EventStream {
  const encoder = new TextEncoder();
  let control: ReadableStreamDefaultController<Uint8Array> | undefined;

  function end(): void {
    if (!control) return;
    control = undefined;
    ended();
  }
  function close(): void {
    const last = control;
    end();
    try {
      last?.close();
    } catch {
      // the browser has closed it
    }
  }
  function write(text: string): void {
    if (!control) return;
    control.enqueue(encoder.encode(text));
    if ((control.desiredSize ?? 0) < -mostWaiting) close();
  }

  const body = new ReadableStream<Uint8Array>(
    {
      start(controller) {
        control = controller;
      },
      cancel: end,
    },
    new ByteLengthQueuingStrategy({ highWaterMark: 16_384 }),
  );
  const headers = { "content-type": "text/event-stream", "cache-control": "no-store", "x-accel-buffering": "no" };
  return {
    response: new Response(body, { headers }),
    send: ({ id, name, data }) => write(`${id === undefined ? "" : `id: ${id}\n`}event: ${name}\ndata: ${JSON.stringify(data)}\n\n`),
    beat: () => write(": still here\n\n"),
    close,
  };
}
