import { readFileSync } from "node:fs";
import { afterAll, expect, vi } from "vitest";
import "./equal_arrays.js";
import "./seeded.js";

/**
 * Files of tests that need no process of their own share the modules of one. Where a file replaces modules, it
 * loads all of them anew, and so does the next one.
 */
const replacesModules = readFileSync(expect.getState().testPath!, "utf8").includes("vi.mock(");
if (replacesModules) vi.resetModules();

afterAll(() => {
  if (replacesModules) vi.resetModules();
  vi.unstubAllEnvs();
  vi.unstubAllGlobals();
});
