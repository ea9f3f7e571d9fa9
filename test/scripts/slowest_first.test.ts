import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { slowest } from "../support/slowest_first.js";

it("starts files first that exist", () => {
  const root = fileURLToPath(new URL("../..", import.meta.url));
  expect(slowest.filter((name) => !existsSync(root + name))).toEqual([]);
});
