import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { cacheFolder } from "../../src/files/cache_folder.js";
import { needs } from "../support/needs.js";

const temporary = join(tmpdir(), `gpusort-${process.getuid?.() ?? "cache"}`);

const posix = needs(process.platform !== "win32", "a system whose homes are named by HOME");

beforeEach(() => {
  vi.stubEnv("HOME", "/home/somebody");
  vi.stubEnv("XDG_CACHE_HOME", undefined);
  vi.stubEnv("LOCALAPPDATA", undefined);
});
afterEach(() => {
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
});

const on = (platform: NodeJS.Platform) => {
  vi.spyOn(process, "platform", "get").mockReturnValue(platform);
  return cacheFolder();
};

posix.describe("the cache folder", () => {
  it("is where each system has the user's caches", () => {
    expect(on("linux")).toBe("/home/somebody/.cache/gpusort");
    expect(on("darwin")).toBe("/home/somebody/Library/Caches/gpusort");
    expect(on("win32")).toBe("/home/somebody/AppData/Local/gpusort/Cache");
  });

  it("is where the environment says, on systems that have such a variable", () => {
    vi.stubEnv("XDG_CACHE_HOME", "/caches");
    vi.stubEnv("LOCALAPPDATA", "/local");
    expect(on("linux")).toBe("/caches/gpusort");
    expect(on("darwin")).toBe("/home/somebody/Library/Caches/gpusort");
    expect(on("win32")).toBe("/local/gpusort/Cache");
  });

  it.each(["", "relative", "."])("is this user's temporary one where the home is '%s'", (home) => {
    vi.stubEnv("HOME", home);
    for (const platform of ["linux", "darwin"] as const) expect(on(platform)).toBe(temporary);
  });

  it("is this user's temporary one where the environment names a relative one", () => {
    vi.stubEnv("XDG_CACHE_HOME", "caches");
    expect(on("linux")).toBe(temporary);
  });
});
