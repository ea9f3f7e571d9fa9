import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { removeStaleFiles, temporaryName } from "../../src/files/stale_files.js";

const folder = mkdtempSync(join(tmpdir(), "gpusort-stale-"));
afterAll(() => rmSync(folder, { recursive: true }));

const linux = process.platform === "linux";
if (!linux) process.stderr.write("SKIPPED: files of killed processes: they are recognised on Linux only\n");

/** No process has this number: Linux's are below 2^22. */
const GONE = 2 ** 22 + 1;

it.runIf(linux)(
  "what has a killed process's name and cannot be removed is left, and does no harm",
  async () => {
    const target = join(folder, "out.u32");
    const stale = () => temporaryName(target).replace(`-${process.pid}-`, `-${GONE}-`);
    const [file, planted] = [stale(), stale()];
    writeFileSync(file, "");
    mkdirSync(planted);
    writeFileSync(join(planted, "file"), "");
    await removeStaleFiles(target);
    expect(existsSync(file)).toBe(false);
    expect(readdirSync(planted)).toEqual(["file"]);
  },
);
