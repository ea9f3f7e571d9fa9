import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";
import { HANG_MS } from "../hang_limit.js";

/** Files of tests that test how tests run. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    include: ["*.sample.ts"],
    pool: "forks",
    globalSetup: ["../end_together.ts"],
    reporters: ["../failures_reporter.ts"],
    testTimeout: HANG_MS,
  },
});
