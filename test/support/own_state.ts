import { expect, vi } from "vitest";
import "./equal_arrays.js";
import { replacesModules } from "./replaces_modules.js";
import "./seeded.js";

/**
 * Files of tests that need no process of their own share the modules of one. A file that replaces modules loads
 * all of them anew, and so does the next one. This is done as each file begins: no hook runs at the end of a file
 * all of whose tests are skipped.
 */
const shared = globalThis as { modulesAreReplaced?: boolean };
const replaces = replacesModules(expect.getState().testPath!);
if (replaces || shared.modulesAreReplaced) vi.resetModules();
shared.modulesAreReplaced = replaces;

vi.unstubAllEnvs();
vi.unstubAllGlobals();
