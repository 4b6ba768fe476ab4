import { describe, expect, test } from "bun:test";
import { seeded } from "../../testing/random.ts";
import { parallel, type Service, sequence, service } from "./service.ts";

/** A service that notes what is done to it, and starts when it is told to. */
function recorded(name: string, events: string[], behaviour: "starts" | "waits" | "fails" | "ends badly" = "starts"): Service {
  return service({
    async start(stopping) {
      events.push(`${name} starts`);
      if (behaviour === "fails") throw new Error(`${name} cannot start`);
      if (behaviour === "waits") await new Promise(resolve => stopping.addEventListener("abort", resolve));
    },
    async stop() {
      events.push(`${name} stops`);
      if (behaviour === "ends badly") throw new Error(`${name} cannot stop`);
      await new Promise(resolve => setImmediate(resolve));
      events.push(`${name} is down`);
    },
  });
}
const turn = () => new Promise(resolve => setImmediate(resolve));

describe("a service", () => {
  test("that was never started has nothing to stop, and cannot be started any more", async () => {
    const events: string[] = [];
    const one = recorded("one", events);
    await one.stop();
    expect(await one.start().catch(error => error.message)).toContain("cannot be started");
    expect(events).toEqual([]);
  });

  test("whose start throws at once has failed to start, and is stopped", async () => {
    const events: string[] = [];
    const one = service({
      start() {
        throw new Error("thrown at once");
      },
      stop: async () => void events.push("stops"),
    });
    expect(await one.start().catch(error => error.message)).toBe("thrown at once");
    await one.stop();
    expect(events).toEqual(["stops"]);
  });

  test("starts once and stops once, however often it is asked", async () => {
    const events: string[] = [];
    const one = recorded("one", events);
    await Promise.all([one.start(), one.start()]);
    await Promise.all([one.stop(), one.stop()]);
    await one.stop();
    expect(events).toEqual(["one starts", "one stops", "one is down"]);
  });

  test("that is stopped while it starts ends its start first", async () => {
    const events: string[] = [];
    const one = recorded("one", events, "waits");
    const starting = one.start();
    const stopping = one.stop();
    await starting;
    await stopping;
    expect(events).toEqual(["one starts", "one stops", "one is down"]);
  });

  test("that failed to start is cleaned up by its stop", async () => {
    const events: string[] = [];
    const one = recorded("one", events, "fails");
    expect(await one.start().catch(error => error.message)).toBe("one cannot start");
    await one.stop();
    expect(events).toEqual(["one starts", "one stops", "one is down"]);
  });
});

describe("a group", () => {
  const abc = (events: string[], b: Parameters<typeof recorded>[2] = "starts") =>
    sequence([recorded("a", events), recorded("b", events, b), recorded("c", events)]);

  test("starts in order and stops in reverse, one after the other", async () => {
    const events: string[] = [];
    const all = abc(events);
    await all.start();
    await all.stop();
    expect(events).toEqual(["a starts", "b starts", "c starts", "c stops", "c is down", "b stops", "b is down", "a stops", "a is down"]);
  });

  test("of which one fails to start says so, starts no more, and stops those before it", async () => {
    const events: string[] = [];
    const all = abc(events, "fails");
    expect(await all.start().catch(error => error.message)).toBe("b cannot start");
    await all.stop();
    expect(events).toEqual(["a starts", "b starts", "b stops", "b is down", "a stops", "a is down"]);
  });

  test("stopped while one of it starts ends that start and starts no more", async () => {
    const events: string[] = [];
    const all = abc(events, "waits");
    const starting = all.start();
    await turn();
    await all.stop();
    await starting;
    expect(events).toEqual(["a starts", "b starts", "b stops", "b is down", "a stops", "a is down"]);
  });

  test("of which one ends badly still stops the others, and says so", async () => {
    const events: string[] = [];
    const all = abc(events, "ends badly");
    await all.start();
    expect(await all.stop().catch(error => error.message)).toBe("b cannot stop");
    expect(events.slice(-2)).toEqual(["a stops", "a is down"]);
  });

  test("stopped while one of it starts that then ends badly leaves no rejection behind", async () => {
    const stray: unknown[] = [];
    const listen = (error: unknown) => stray.push(error);
    process.on("unhandledRejection", listen);
    const bad = service({
      start: stopping => new Promise(resolve => stopping.addEventListener("abort", () => resolve())),
      stop: async () => {
        throw new Error("cannot stop");
      },
    });
    const all = sequence([sequence([bad])]);
    void all.start();
    await turn();
    expect(await all.stop().catch(error => error.message)).toBe("cannot stop");
    await turn();
    process.off("unhandledRejection", listen);
    expect(stray).toEqual([]);
  });

  test("that belongs together starts side by side, and a stop ends the starts that wait", async () => {
    const events: string[] = [];
    const all = parallel([recorded("a", events, "waits"), recorded("b", events)]);
    const starting = all.start();
    await turn();
    expect(events).toEqual(["a starts", "b starts"]);
    await all.stop();
    await starting;
    expect(events.filter(event => event.endsWith("is down")).toSorted()).toEqual(["a is down", "b is down"]);
  });

  test("that belongs together stops side by side; one that ends badly holds up no other", async () => {
    const events: string[] = [];
    const all = parallel([recorded("a", events), recorded("b", events, "ends badly"), recorded("c", events)]);
    await all.start();
    expect(await all.stop().catch(error => error.message)).toBe("b cannot stop");
    expect(events.slice(0, 3)).toEqual(["a starts", "b starts", "c starts"]);
    expect(events.slice(3, 6).toSorted()).toEqual(["a stops", "b stops", "c stops"]);
    expect(events.slice(6).toSorted()).toEqual(["a is down", "c is down"]);
  });

  test("keeps the contract whenever the stop comes: what was started is stopped once, in reverse, and nothing starts after", async () => {
    for (let seed = 0; seed < 300; seed++) {
      const random = seeded(seed + 1);
      const events: string[] = [];
      const member = (name: string): Service => recorded(name, events, (["starts", "starts", "waits", "fails"] as const)[random(4)]!);
      const all = sequence([member("a"), sequence([member("b"), member("c")]), member("d"), sequence([]), member("e")]);
      const starting = all.start().catch(() => {});
      for (let turns = random(6); turns > 0; turns--) await turn();
      await Promise.all([all.stop(), all.stop()]);
      await starting;
      const started = events.filter(event => event.endsWith("starts")).map(event => event[0]);
      expect([seed, events.filter(event => event.endsWith("is down")).map(event => event[0])]).toEqual([seed, started.toReversed()]);
      expect(events.slice(events.findIndex(event => event.endsWith("is down"))).some(event => event.endsWith("starts"))).toBe(false);
    }
  });
});
