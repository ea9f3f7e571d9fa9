import { fileURLToPath } from "node:url";
import { defineConfig } from "vitest/config";

/** Files of tests that test how tests run. */
export default defineConfig({
  test: {
    root: fileURLToPath(new URL(".", import.meta.url)),
    include: ["*.sample.ts"],
    pool: "forks",
    setupFiles: ["../end_with_parent.ts"],
    reporters: ["../failures_reporter.ts"],
  },
});
