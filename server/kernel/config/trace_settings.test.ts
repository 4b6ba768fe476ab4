import { describe, expect, test } from "bun:test";
import { effectiveSettings, readSettings } from "./config.ts";
import { traceProblems, traceSettings, tracingOptions } from "./trace_settings.ts";

const read = (environment: Record<string, string>) => readSettings(traceSettings, environment, traceProblems);
const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: "http://collector:4318/" };

describe("traces are on if the standard variables say so:", () => {
  test.each([
    ["nothing is set", {}, undefined],
    ["an endpoint", endpoint, "http://collector:4318/v1/traces"],
    ["the address for traces", { ...endpoint, OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "https://t/x" }, "https://t/x"],
    ["only the exporter", { OTEL_TRACES_EXPORTER: "otlp" }, "http://localhost:4318/v1/traces"],
    ["no exporter", { ...endpoint, OTEL_TRACES_EXPORTER: "none" }, undefined],
    ["the SDK is disabled", { ...endpoint, OTEL_SDK_DISABLED: "true" }, undefined],
    ["an empty endpoint", { OTEL_EXPORTER_OTLP_ENDPOINT: "" }, undefined],
  ])("%s", (_, environment, url) => expect(tracingOptions(read(environment))?.url).toBe(url!));
});

test("headers and attributes are pairs with percent-encoded values, and headers are never shown", () => {
  const environment = {
    ...endpoint,
    OTEL_EXPORTER_OTLP_HEADERS: "authorization=Bearer%20hunter2, x-tenant = a=b",
    OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=live,team=core%2Cops",
  };
  const settings = read(environment);
  expect(tracingOptions(settings)?.headers).toEqual({ authorization: "Bearer hunter2", "x-tenant": "a=b" });
  expect(settings.resource).toEqual({ "deployment.environment.name": "live", team: "core,ops" });
  expect(JSON.stringify(effectiveSettings(traceSettings, environment))).not.toContain("hunter2");
});

test.each([
  ["OTEL_EXPORTER_OTLP_HEADERS", "hunter2"],
  ["OTEL_EXPORTER_OTLP_HEADERS", "a=%zz"],
  ["OTEL_RESOURCE_ATTRIBUTES", "a"],
  ["OTEL_TRACES_SAMPLER", "jaeger_remote"],
  ["OTEL_TRACES_SAMPLER_ARG", "2"],
  ["OTEL_TRACES_SAMPLER_ARG", "1%"],
  ["OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4317"],
  ["OTEL_BSP_MAX_QUEUE_SIZE", "100"],
])("%s=%s is refused at the start, by its name and without the secret", (variable, value) => {
  const reading = () => read({ ...endpoint, [variable]: value });
  expect(reading).toThrow(variable);
  expect(reading).not.toThrow("hunter2");
});
