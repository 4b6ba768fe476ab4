// A broker that executes on paper, as a process: `bun stack/paper_broker/main.ts --port 8190 --data <folder> [--host 127.0.0.1]`.
// It has its own durable book and faults on demand. With BROKER_TOKEN its orders need that token.
import { parseArgs } from "node:util";
import { type Book, openBook } from "./book.ts";
import { paperBroker } from "./server.ts";
import { finishReceived } from "./work.ts";

const { port, data, host } = parseArgs({
  options: { port: { type: "string" }, data: { type: "string" }, host: { type: "string", default: "127.0.0.1" } },
}).values;
if (!data || !port || !/^\d{1,5}$/.test(port)) {
  console.error("usage: bun stack/paper_broker/main.ts --port 8190 --data <folder> [--host 127.0.0.1]");
  process.exit(2);
}
const book = await opened(data);
const server = paperBroker(book, process.env.BROKER_TOKEN || undefined);
server.on("error", error => {
  console.error(`the paper broker cannot listen on ${host}:${port}: ${error.message}`);
  process.exit(1);
});
server.listen(Number(port), host, () => {
  const address = server.address();
  console.log(`paper broker: http://${host}:${typeof address === "object" ? address?.port : port}/`);
});

for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => {
    // Orders that are delayed now are executed at the next start.
    server.closeAllConnections();
    book.close();
    process.exit(0);
  });
}

async function opened(folder: string): Promise<Book> {
  try {
    const book = openBook(folder);
    await finishReceived(book);
    return book;
  } catch (error) {
    console.error(`the paper broker cannot open its book: ${(error as Error).message}`);
    process.exit(1);
  }
}
