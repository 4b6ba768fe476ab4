import { expect, spyOn, test } from "bun:test";
import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { operation } from "./queries.ts";

test("a periodic refresh accepts a shared result; an invalidated query asks for a fresh one", async () => {
  const said: (string | null)[] = [];
  const fetching = spyOn(globalThis, "fetch").mockImplementation((async (_: unknown, init: RequestInit) => {
    said.push(new Headers(init.headers).get("cache-control"));
    return Response.json({ operation_id: "o" });
  }) as typeof fetch);
  try {
    const client = new QueryClient();
    const watching = new QueryObserver(client, operation("entitlement", "o"));
    const stop = watching.subscribe(() => {});
    await watching.refetch();
    await client.invalidateQueries();
    await watching.refetch();
    stop();
    client.clear();
  } finally {
    fetching.mockRestore();
  }
  expect(said.filter((one, n) => n === 0 || one !== said[n - 1])).toEqual([null, "no-cache", null]);
});
