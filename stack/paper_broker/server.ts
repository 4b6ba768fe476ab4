import { createServer, type IncomingMessage, type Server } from "node:http";
import { countAtOnce } from "./at_once.ts";
import type { Book, BookRow } from "./book.ts";
import { type Faults, readFaults, readFaultsForm } from "./faults.ts";
import { type Answer, hasToken, isForeign, json, problem, readBody, send } from "./http.ts";
import { askOrder, placeOrder } from "./order_routes.ts";
import { bookPage } from "./page.ts";
import { Refused } from "./paper_order.ts";

/** `node:http`, because `Bun.serve` cannot cut a connection without a response. */
export function paperBroker(book: Book, token: string | undefined): Server {
  let faults: Faults = {};
  const atOnce = countAtOnce();

  const server = createServer((request, response) => {
    const path = pathOf(request);
    const order = request.method === "POST" && path === "/orders" ? atOnce.enter() : undefined;
    response.once("close", () => order?.left());
    void answered(request, path).then(async answer => {
      await order?.answered(); // before the answer: after it, the client's next request may come first
      send(response, answer);
    });
  });
  // Longer than clients keep an idle connection: only faults cut a connection that is in use.
  server.keepAliveTimeout = 600_000;
  return server;

  async function answered(request: IncomingMessage, path: string): Promise<Answer> {
    try {
      if (isForeign(request)) return problem(403, "FOREIGN_ORIGIN", "Requests from pages of other sites are refused.");
      return await route(request, path);
    } catch (error) {
      if (error instanceof Refused) return problem(400, "INVALID_REQUEST", error.message);
      if (request.destroyed && !request.complete) return "cut"; // the client went away before the end of its request
      console.error(error);
      return problem(500, "INTERNAL_ERROR", "The paper broker failed: see its log.");
    }
  }

  async function route(request: IncomingMessage, path: string): Promise<Answer> {
    const what = `${request.method} ${path.startsWith("/orders/") ? "/orders/…" : path}`;
    const query = new URLSearchParams(request.url?.slice(path.length + 1));
    if (path.startsWith("/orders") && !hasToken(request, token)) {
      return problem(401, "UNAUTHENTICATED", "Send the broker's token: Authorization: Bearer <token>.", { "www-authenticate": "Bearer" });
    }
    switch (what) {
      case "POST /orders":
        return placeOrder(book, faults, request.headers["idempotency-key"] as string | undefined, await readBody(request));
      case "GET /orders/…":
        return askOrder(book, faults, decoded(path.slice("/orders/".length)));
      case "GET /book":
        return json(200, bookAfter(query));
      case "GET /book/summary":
        return json(200, summary());
      case "GET /faults":
        return json(200, faults);
      case "PUT /faults":
        faults = readFaults(await readBody(request));
        return json(200, faults);
      case "POST /faults": // the form of the page
        faults = readFaultsForm(await readBody(request));
        return { status: 303, headers: { location: "/" }, body: "" };
      case "GET /":
        return bookPage({ summary: summary(), faults, before: numberIn(query, "before", Number.MAX_SAFE_INTEGER), rows: book.before });
      default:
        return problem(404, "NOT_FOUND", `There is no ${request.method} ${path}.`);
    }
  }

  function summary() {
    return { ...book.totals(), ...atOnce.counts() };
  }

  function bookAfter(query: URLSearchParams): object {
    const limit = numberIn(query, "limit", 100);
    if (limit < 1 || limit > 1000) throw new Refused("limit: send a number from 1 to 1000.");
    const rows = book.after(numberIn(query, "after", 0), limit + 1);
    const page = rows.slice(0, limit);
    return { rows: page.map(listed), ...(rows.length > limit ? { next: page.at(-1)!.number } : {}) };
  }
}

const pathOf = ({ url = "/" }: IncomingMessage) => url.split("?", 1)[0]!;

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new Refused("The key in the path is not percent-encoded.");
  }
}

function numberIn(query: URLSearchParams, name: string, absent: number): number {
  const text = query.get(name);
  if (text === null) return absent;
  if (!/^\d{1,15}$/.test(text)) throw new Refused(`${name}: send a whole number.`);
  return Number(text);
}

function listed(row: BookRow): object {
  const { key, symbol, side, quantity, order_type, limit_price, client_tag, state, broker_order_id, price, executions } = row;
  const { received_at, executed_at } = row;
  return {
    ...{ key, symbol, side, quantity, order_type, limit_price, client_tag },
    ...{ state, broker_order_id, price, executions, received_at, executed_at },
  };
}
