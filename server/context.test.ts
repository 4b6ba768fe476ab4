import { expect, test } from "bun:test";
import { roleContext } from "./context.ts";
import { settingsFor } from "./systems.ts";

test("a metric shows each part of a role: 1 while it has a trouble, 0 while it is well", async () => {
  const { health, metricsText } = roleContext("gateway:api", settingsFor([], { KENRI_ENV: "test" }), () => {});
  health.trouble("redis", "it does not answer");
  expect(await metricsText()).toContain('kenri_health_trouble{role="gateway:api",part="redis"} 1');
  health.fine("redis");
  expect(await metricsText()).toContain('kenri_health_trouble{role="gateway:api",part="redis"} 0');
});
