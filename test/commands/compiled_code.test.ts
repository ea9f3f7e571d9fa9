import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { needs } from "../support/needs.js";

const world = vi.hoisted(() => ({ cache: "" }));
vi.mock("../../src/files/own_files.js", async (original) => ({
  ...(await original<typeof import("../../src/files/own_files.js")>()),
  cacheFolder: () => world.cache,
}));

const root = mkdtempSync(join(tmpdir(), "gpusort-code-"));
const script = join(root, "script.js");
afterAll(() => rmSync(root, { recursive: true }));
beforeEach(() => {
  world.cache = mkdtempSync(join(root, "cache-"));
});
afterEach(() => {
  vi.restoreAllMocks();
  vi.unstubAllEnvs();
});

/** The folders of kept code, and what is in them. */
const folders = () => readdirSync(join(world.cache, "code")).map((name) => join(world.cache, "code", name));
const keptFile = () => join(folders()[0]!, "script.js");

/**
 * Runs a script that returns `text`, as a process of its own would, and ends that process.
 *
 * @returns what the script returns. V8 compares only the lengths of scripts: so it is the text of an earlier
 *   run, of the same length, if kept code is taken.
 */
async function runScript(text: string, { build = "build", exitCode = 0, meanwhile = async () => {} } = {}) {
  writeFileSync(script, `(() => ${JSON.stringify(text)})()`);
  vi.resetModules();
  const { findCompiledCode, keepCompiledCode, runFile } = await import("../../src/commands/compiled_code.js");
  const on = vi.spyOn(process, "on").mockReturnValue(process);
  findCompiledCode(build);
  const value = runFile(script, () => "loaded");
  keepCompiledCode();
  await meanwhile();
  for (const [event, listener] of on.mock.calls) if (event === "exit") listener(exitCode);
  on.mockRestore();
  return value;
}

const posix = needs(process.platform !== "win32", "permissions of POSIX");
const asRoot = needs(process.getuid?.() === 0, "the rights of root");

describe("compiled code", () => {
  it("is kept, and taken by the next run", async () => {
    expect(await runScript("one")).toBe("one");
    expect(await runScript("two")).toBe("one");
  });

  it("is not taken by another build", async () => {
    await runScript("one");
    expect(await runScript("two", { build: "other" })).toBe("two");
  });

  it("is not taken where a byte of it is damaged, and then made again", async () => {
    await runScript("one");
    const content = readFileSync(keptFile());
    for (const at of [0, content.length >> 1, content.length - 8, content.length - 1]) {
      const damaged = Buffer.from(content);
      damaged[at]! ^= 1;
      writeFileSync(keptFile(), damaged);
      expect(await runScript("two")).toBe("two");
      expect(await runScript("six")).toBe("two");
    }
    for (const bytes of [0, 7, 8, content.length - 1]) {
      writeFileSync(keptFile(), content.subarray(0, bytes));
      expect(await runScript("two")).toBe("two");
    }
  });

  posix.it("is this user's alone, and not taken if others can write to it", async () => {
    await runScript("one");
    expect(statSync(folders()[0]!).mode & 0o777).toBe(0o700);
    expect(statSync(keptFile()).mode & 0o777).toBe(0o600);
    chmodSync(keptFile(), 0o666);
    expect(await runScript("two")).toBe("two");
    expect(statSync(keptFile()).mode & 0o777).toBe(0o600);

    chmodSync(world.cache, 0o777);
    expect(await runScript("six")).toBe("six");
  });

  it("is not kept by a run that fails, nor under flags of V8 that no run starts with", async () => {
    await runScript("one", { exitCode: 2 });
    expect(existsSync(join(world.cache, "code"))).toBe(false);
    try {
      await runScript("one", { meanwhile: async () => setFlagsFromString("--no-liftoff") });
    } finally {
      setFlagsFromString("--liftoff");
    }
    expect(existsSync(join(world.cache, "code"))).toBe(false);
  });

  it("is kept before threads change flags of V8", async () => {
    const meanwhile = async () => {
      const { compileForLongRuns } = await import("../../src/threads/compile.js");
      const { ownProcess } = await import("../../src/threads/own_process.js");
      ownProcess();
      compileForLongRuns(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0));
    };
    await runScript("one", { meanwhile, exitCode: 2 }); // at its end it would keep nothing
    expect(existsSync(keptFile())).toBe(true);
  });

  it("is not kept if there is no folder for it, or if it is turned off", async () => {
    const { cache } = world;
    world.cache = join(root, "file");
    writeFileSync(world.cache, "");
    expect(await runScript("one")).toBe("one");

    world.cache = cache;
    vi.stubEnv("NODE_DISABLE_COMPILE_CACHE", "1");
    expect(await runScript("one")).toBe("loaded");
    expect(readdirSync(cache)).toEqual([]);
  });

  it("of other builds is removed after a month", async () => {
    for (const [name, days] of [
      ["old", 31],
      ["recent", 29],
    ] as const) {
      const folder = join(world.cache, "code", name);
      mkdirSync(folder, { recursive: true });
      writeFileSync(join(folder, "script.js"), "");
      const then = Date.now() / 1000 - days * 24 * 3600;
      utimesSync(folder, then, then);
    }
    await runScript("one");
    expect(existsSync(join(world.cache, "code", "old"))).toBe(false);
    expect(existsSync(join(world.cache, "code", "recent", "script.js"))).toBe(true);
    expect(folders()).toHaveLength(2);
  });

  it("of this build stays, and is kept anew, however old its folder is; what a killed process left goes", async () => {
    await runScript("one");
    const [folder] = folders();
    const [left, right] = [join(folder!, "script.js.0123456789ab"), join(folder!, "script.js.ba9876543210")];
    for (const path of [left, right]) writeFileSync(path, "");
    const then = Date.now() / 1000 - 40 * 24 * 3600;
    utimesSync(left, then, then);
    rmSync(keptFile());
    utimesSync(folder!, then, then);
    await runScript("one");
    expect([left, right, keptFile()].map((path) => existsSync(path))).toEqual([false, true, true]);
  });

  asRoot.it("is not kept by root in the home of another user", async () => {
    const home = join(world.cache, "home");
    mkdirSync(home);
    chownSync(home, 12_345, 12_345);
    const { cache } = world;
    world.cache = join(home, ".cache", "gpusort");
    expect(await runScript("one")).toBe("one");
    expect(readdirSync(home)).toEqual([]);
    world.cache = cache;
  });
});
