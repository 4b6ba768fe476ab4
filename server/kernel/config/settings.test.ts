import { expect, test } from "bun:test";
import { listSettings, readSettings } from "./config.ts";
import { kernelProblems, kernelSettings } from "./settings.ts";

const faults = listSettings(kernelSettings.faults).map(({ variable }) => variable);
const problems = (environment: Record<string, string>) => {
  try {
    readSettings(kernelSettings, { NATS_URL: "nats://127.0.0.1:1", ...environment }, kernelProblems);
    return "";
  } catch (error) {
    return (error as Error).message;
  }
};

test.each(faults)("%s is refused in production and taken elsewhere", variable => {
  expect(problems({ KENRI_ENV: "production", [variable]: "entitlement:relay" })).toContain(`${variable} is refused`);
  expect(problems({ KENRI_ENV: "test", [variable]: "entitlement:relay" })).toBe("");
});
