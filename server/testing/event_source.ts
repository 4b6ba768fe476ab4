import type { TestBrowser } from "./browser.ts";

/** An open stream of server-sent events, as a browser's EventSource reads it. */
export interface TestEvents {
  readonly status: number;
  readonly events: { readonly id: string; readonly name: string; readonly data: Record<string, unknown> }[];
  /** Comment lines that keep the stream alive. */
  readonly beats: () => number;
  readonly ended: Promise<void>;
  close(): void;
}

export async function openEvents(browser: TestBrowser, url: string, lastEventId?: string): Promise<TestEvents> {
  const aborting = new AbortController();
  const response = await browser.fetch(url, {
    signal: aborting.signal,
    headers: { accept: "text/event-stream", ...(lastEventId === undefined ? {} : { "last-event-id": lastEventId }) },
  });
  const events: TestEvents["events"] = [];
  let beats = 0;

  function hear(block: string): void {
    const fields = new Map(block.split("\n").map(line => line.split(/: ?(.*)/s) as [string, string]));
    if (!fields.has("data")) beats++;
    else events.push({ id: fields.get("id") ?? "", name: fields.get("event") ?? "message", data: JSON.parse(fields.get("data")!) });
  }

  async function listen(): Promise<void> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const chunk of response.body ?? []) {
      const blocks = (rest + decoder.decode(chunk, { stream: true })).split("\n\n");
      rest = blocks.pop()!;
      blocks.forEach(hear);
    }
  }

  const ended = listen().catch(() => {});
  return { status: response.status, events, beats: () => beats, ended, close: () => aborting.abort() };
}
