import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { removeStaleFiles, temporaryName } from "../../../src/files/temporary/stale_files.js";
import { needs } from "../../support/needs.js";

const folder = mkdtempSync(join(tmpdir(), "gpusort-stale-"));
afterAll(() => rmSync(folder, { recursive: true }));

const linux = needs(process.platform === "linux", "Linux");

/** No process has this number: Linux's are below 2^22. */
const GONE = 2 ** 22 + 1;

linux.it("what has a killed process's name and cannot be removed is left, and does no harm", async () => {
  const target = join(folder, "out.u32");
  const stale = () => temporaryName(target).replace(`-${process.pid}-`, `-${GONE}-`);
  const [file, planted] = [stale(), stale()];
  writeFileSync(file, "");
  mkdirSync(planted);
  writeFileSync(join(planted, "file"), "");
  await removeStaleFiles(target);
  expect(existsSync(file)).toBe(false);
  expect(readdirSync(planted)).toEqual(["file"]);
});
