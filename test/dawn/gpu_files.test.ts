import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { mayHaveGpu } from "../../src/dawn/gpu_files.js";

describe("whether a machine may have a GPU", () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "gpusort-dev-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it.each([
    ["nvidia0", true],
    ["nvidia12", true],
    ["nvidiactl", false],
    ["kfd", true],
    ["dxg", true],
    ["mali0", true],
    ["kgsl-3d0", true],
    ["null", false],
    ["sda1", false],
  ])("follows on Linux from /dev: with %s, %s", (name, has) => {
    writeFileSync(join(folder, name), "");
    expect(mayHaveGpu("linux", folder)).toBe(has);
  });

  it.each([
    ["renderD128", true],
    ["card0", false],
  ])("follows on Linux from /dev/dri: with %s, %s", (name, has) => {
    mkdirSync(join(folder, "dri"));
    writeFileSync(join(folder, "dri", name), "");
    expect(mayHaveGpu("linux", folder)).toBe(has);
  });

  it("is not known elsewhere, so it may", () => {
    expect(mayHaveGpu("darwin", folder)).toBe(true);
    expect(mayHaveGpu("win32", folder)).toBe(true);
    expect(mayHaveGpu("linux", join(folder, "missing"))).toBe(false);
  });
});
