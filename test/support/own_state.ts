import { readFileSync } from "node:fs";
import { expect, vi } from "vitest";
import "./equal_arrays.js";
import "./seeded.js";

/**
 * Files of tests that need no process of their own share the modules of one. A file that replaces modules loads all
 * of them anew, and so does the next one. This is done as each file begins: no hook runs at the end of a file all of
 * whose tests are skipped.
 */
const shared = globalThis as { modulesAreReplaced?: boolean };
const replacesModules = readFileSync(expect.getState().testPath!, "utf8").includes("vi.mock(");
if (replacesModules || shared.modulesAreReplaced) vi.resetModules();
shared.modulesAreReplaced = replacesModules;

vi.unstubAllEnvs();
vi.unstubAllGlobals();
