import { defineConfig } from "@playwright/test";
import tests from "./playwright.config.ts";

/** `bun run screenshots`: no tests, but made with the same tools. */
export default defineConfig({ ...tests, testMatch: "pictures.ts", timeout: 300_000 });
