import { defineConfig } from "@playwright/test";
import tests from "./playwright.config.ts";

/** `bun run screenshots`, with the tools of the tests. */
export default defineConfig({ ...tests, testMatch: "pictures.ts", timeout: 300_000 });
