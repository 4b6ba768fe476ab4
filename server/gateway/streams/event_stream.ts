// A browser that does not read for so long that this much waits for it is let go; it comes back with its last id.
const mostWaiting = 1_048_576;

export interface EventStream {
  readonly response: Response;
  send(event: { readonly id?: number; readonly name: string; readonly data: unknown }): void;
  /** Says nothing, so that everything between here and the browser knows that it lives. */
  beat(): void;
  close(): void;
}

/** A stream of server-sent events. `ended` is called once, whoever ends it. */
export function eventStream(ended: () => void): EventStream {
  const encoder = new TextEncoder();
  let control: ReadableStreamDefaultController<Uint8Array> | undefined;

  function over(): void {
    if (!control) return;
    control = undefined;
    ended();
  }
  function close(): void {
    const last = control;
    over();
    try {
      last?.close();
    } catch {
      // the browser was quicker
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
      cancel: over,
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
