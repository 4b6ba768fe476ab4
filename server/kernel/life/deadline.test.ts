import { expect, test } from "bun:test";
import { connect, createServer } from "node:net";
import { DeadlineError, withTimeout } from "./deadline.ts";

/** Keeps this thread from doing anything else. */
function standStill(milliseconds: number): void {
  const end = performance.now() + milliseconds;
  while (performance.now() < end);
}

test("what has arrived while the process itself stood still is in time", async () => {
  const server = createServer(socket => socket.end("answer")).listen(0, "127.0.0.1");
  await new Promise(resolve => server.once("listening", resolve));
  const { port } = server.address() as { port: number };
  const outcomes: string[] = [];
  for (let n = 0; n < 5; n++) {
    const socket = connect(port, "127.0.0.1");
    const answer = new Promise<string>(resolve => socket.once("data", data => resolve(String(data))));
    await new Promise(resolve => socket.once("connect", resolve));
    const outcome = withTimeout(20, "the server", answer).catch(error => error.name as string);
    standStill(100);
    outcomes.push(await outcome);
    socket.destroy();
  }
  server.close();
  expect(outcomes).toEqual(outcomes.map(() => "answer"));
});

test("what does not answer is given up", async () => {
  expect(await withTimeout(10, "nobody", new Promise(() => {})).catch(error => error)).toBeInstanceOf(DeadlineError);
});
