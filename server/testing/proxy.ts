import { createServer, connect as dial, type Socket } from "node:net";

export interface TestProxy {
  /** The same URL, through the proxy. */
  readonly url: string;
  /** Connections that were cut on purpose. */
  readonly cuts: () => number;
  close(): Promise<void>;
}

export interface ProxyOptions {
  /** Called with every chunk from the client. true: forward it, wait for the response of the server, and cut the connection instead of forwarding the response. */
  readonly cutsAnswerTo?: (piece: Buffer) => boolean;
  /** Called with every chunk from the server. true: cut the connection in the middle of it. */
  readonly cutsAt?: (piece: Buffer) => boolean;
}

/** A TCP proxy on loopback that breaks connections at chosen moments. */
export async function tcpProxy(target: string, { cutsAnswerTo = () => false, cutsAt = () => false }: ProxyOptions): Promise<TestProxy> {
  const sockets = new Set<Socket>();
  let cuts = 0;
  const server = createServer(client => {
    const upstream = dial(Number(new URL(target).port), new URL(target).hostname);
    let doomed = false;
    const end = () => {
      for (const socket of [client, upstream]) {
        socket.destroy();
        sockets.delete(socket);
      }
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on("error", end);
      socket.on("close", end);
    }
    client.on("data", piece => {
      doomed ||= cutsAnswerTo(piece as Buffer);
      upstream.write(piece);
    });
    upstream.on("data", piece => {
      if (!doomed && !cutsAt(piece as Buffer)) return void client.write(piece);
      cuts++;
      end();
    });
  });
  await new Promise<void>(resolve => server.listen(0, "127.0.0.1", resolve));
  const url = new URL(target);
  url.hostname = "127.0.0.1";
  url.port = String((server.address() as { port: number }).port);
  return {
    url: url.toString(),
    cuts: () => cuts,
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise(resolve => server.close(resolve));
    },
  };
}
