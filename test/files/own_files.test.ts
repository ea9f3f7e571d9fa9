import { execFileSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  linkSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, it, vi } from "vitest";
import {
  cacheFolder,
  makeFolder,
  ownFolder,
  readOwnFile,
  replaceOwnFile,
} from "../../src/files/own_files.js";
import { needs } from "../support/needs.js";
import { asRoot, giveAway } from "../support/other_user.js";

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

const root = realpathSync(mkdtempSync(join(tmpdir(), "gpusort-own-")));
afterAll(() => rmSync(root, { recursive: true }));

const linux = needs(process.platform === "linux", "Linux");

let count = 0;
let base = "";
const at = (...names: string[]) => join(base, ...names);
beforeEach(() => {
  base = join(root, `${count++}`);
  mkdirSync(base, 0o700);
});

linux.describe("a folder that is made", () => {
  it("has its parents made too, all for this user alone", () => {
    makeFolder(at("a", "b", "c"));
    for (const path of [at("a"), at("a", "b"), at("a", "b", "c")]) {
      expect(statSync(path).mode & 0o777).toBe(0o700);
    }
    makeFolder(at("a", "b", "c")); // it may exist
  });

  it("ends with an error where there can be none, and where Node's own call does not end", () => {
    for (const path of ["/proc/nope", "/proc/nope/.cache/gpusort", "/proc/self/fd/none/a"]) {
      expect(() => makeFolder(path)).toThrow();
    }
    writeFileSync(at("file"), "");
    expect(() => makeFolder(at("file", "below"))).toThrow("ENOTDIR");
    expect(() => makeFolder(at("n".repeat(300)))).toThrow("ENAMETOOLONG");
  });
});

linux.describe("a folder of this user alone", () => {
  beforeEach(() => makeFolder(at("cache", "gpusort")));
  const folder = () => ownFolder(at("cache", "gpusort"));

  it("is found, also behind a link to a folder above it", () => {
    expect(folder()).toBe(at("cache", "gpusort"));
    symlinkSync(at("cache"), at("link"));
    expect(ownFolder(at("link", "gpusort"))).toBe(at("cache", "gpusort"));
    expect(ownFolder(at("cache", "none"))).toBeUndefined();
  });

  it("is closed to others if they could write to it", () => {
    chmodSync(at("cache", "gpusort"), 0o777);
    expect(folder()).toBe(at("cache", "gpusort"));
    expect(statSync(at("cache", "gpusort")).mode & 0o777).toBe(0o700);
  });

  it("is none if it is a link or a file", () => {
    symlinkSync(at("cache", "gpusort"), at("cache", "link"));
    writeFileSync(at("cache", "file"), "");
    expect(ownFolder(at("cache", "link"))).toBeUndefined();
    expect(ownFolder(at("cache", "file"))).toBeUndefined();
  });

  it.each([
    [0o777, false],
    [0o775, false],
    [0o757, false],
    [0o1777, true],
    [0o755, true],
  ])("is one below a folder of mode %o: %s", (mode, safe) => {
    chmodSync(at("cache"), mode);
    expect(folder() !== undefined).toBe(safe);
  });

  asRoot.it("is none if it, or a folder above it, is another user's", () => {
    giveAway(at("cache", "gpusort"));
    expect(folder()).toBeUndefined();
    rmSync(at("cache", "gpusort"), { recursive: true });
    makeFolder(at("cache", "gpusort"));
    expect(folder()).toBeDefined();
    giveAway(at("cache"));
    expect(folder()).toBeUndefined();
  });
});

linux.describe("a file of this user", () => {
  const read = (name: string) => readOwnFile(at(name), 100)?.toString();

  it("is read if it is a regular file of a modest length", () => {
    writeFileSync(at("file"), "content");
    expect(read("file")).toBe("content");
    writeFileSync(at("long"), "x".repeat(101));
    expect(read("long")).toBeUndefined();
    expect(read("none")).toBeUndefined();
  });

  it("is not what a link, a named pipe, a device or a folder has in its place, and none is waited for", () => {
    writeFileSync(at("file"), "content");
    symlinkSync(at("file"), at("link"));
    execFileSync("mkfifo", [at("fifo")]);
    mkdirSync(at("folder"));
    for (const name of ["link", "fifo", "folder"]) expect(read(name)).toBeUndefined();
    expect(readOwnFile("/dev/zero", 100)).toBeUndefined();
    expect(readOwnFile("/dev/tty", 100)).toBeUndefined();
  });

  it("is not one that others may write to", () => {
    writeFileSync(at("file"), "content");
    for (const mode of [0o666, 0o664, 0o622]) {
      chmodSync(at("file"), mode);
      expect(read("file")).toBeUndefined();
    }
  });

  asRoot.it("is not another user's", () => {
    writeFileSync(at("file"), "content");
    giveAway(at("file"));
    expect(read("file")).toBeUndefined();
  });

  it("is replaced at once: who has it open keeps the old content, and only this user may read it", () => {
    writeFileSync(at("file"), "old");
    linkSync(at("file"), at("second name"));
    const open = openSync(at("file"), "r");
    replaceOwnFile(at("file"), "new");
    expect(readFileSync(open, "utf8")).toBe("old");
    expect(read("second name")).toBe("old");
    expect(read("file")).toBe("new");
    expect(lstatSync(at("file")).mode & 0o777).toBe(0o600);
    expect(readdirSync(base).sort()).toEqual(["file", "second name"]);
  });

  it("replaces a link and not what it points to, and leaves nothing behind if it cannot", () => {
    writeFileSync(at("target"), "theirs");
    symlinkSync(at("target"), at("link"));
    replaceOwnFile(at("link"), "ours");
    expect(readFileSync(at("target"), "utf8")).toBe("theirs");
    expect(read("link")).toBe("ours");
    mkdirSync(at("folder"));
    expect(() => replaceOwnFile(at("folder"), "ours")).toThrow();
    expect(readdirSync(base).sort()).toEqual(["folder", "link", "target"]);
    expect(existsSync(at("folder"))).toBe(true);
  });
});
