import { readFileSync } from "node:fs";

/** Whether a file of tests replaces modules. All modules are then loaded anew for it, and for the file after it. */
export const replacesModules = (path: string): boolean => readFileSync(path, "utf8").includes("vi.mock(");
