import { existsSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { bytesIn, setVariables } from "../../src/dawn/shader_cache.js";
import { asRoot, giveAway } from "../support/other_user.js";

const root = mkdtempSync(join(tmpdir(), "gpusort-shaders-"));
afterAll(() => rmSync(root, { recursive: true }));

let count = 0;
let cache = "";
beforeEach(() => {
  cache = join(root, `${count++}`);
});

describe("the drivers' cache of shaders", () => {
  it("is a folder of this user's, which drivers find by the environment", () => {
    const environment: NodeJS.ProcessEnv = {};
    const folder = join(cache, "shaders");
    expect(setVariables(environment, cache)).toEqual({ folders: [folder], problem: undefined });
    expect(environment).toEqual({ __GL_SHADER_DISK_CACHE_PATH: folder, MESA_SHADER_CACHE_DIR: folder });
    expect(statSync(folder).isDirectory()).toBe(true);
    if (process.platform !== "win32") expect(statSync(folder).mode & 0o777).toBe(0o700);
  });

  it("stays where the user put it", () => {
    const environment = { __GL_SHADER_DISK_CACHE_PATH: "/here", MESA_SHADER_CACHE_DIR: "/there" };
    expect(setVariables(environment, cache).folders).toEqual(["/here", "/there"]);
    expect(environment).toEqual({ __GL_SHADER_DISK_CACHE_PATH: "/here", MESA_SHADER_CACHE_DIR: "/there" });
    expect(existsSync(cache)).toBe(false);

    const partly: NodeJS.ProcessEnv = { MESA_SHADER_CACHE_DIR: "/there" };
    const folder = join(cache, "shaders");
    expect(setVariables(partly, cache).folders).toEqual(["/there", folder]);
    expect(partly).toEqual({ __GL_SHADER_DISK_CACHE_PATH: folder, MESA_SHADER_CACHE_DIR: "/there" });
  });

  it("is left to the drivers if the folder cannot be made, which is said", () => {
    writeFileSync(cache, "a file where the folder should be");
    const environment: NodeJS.ProcessEnv = {};
    const { folders, problem } = setVariables(environment, cache);
    expect([folders, environment]).toEqual([[], {}]);
    expect(problem).toContain(`${join(cache, "shaders")} cannot be written`);
  });

  asRoot.it("is not one that another user could fill", () => {
    mkdirSync(join(cache, "shaders"), { recursive: true });
    giveAway(join(cache, "shaders"));
    const environment: NodeJS.ProcessEnv = {};
    const { folders, problem } = setVariables(environment, cache);
    expect([folders, environment]).toEqual([[], {}]);
    expect(problem).toContain("other users can change");
  });

  it("has as many bytes as its files; what cannot be read has none", () => {
    mkdirSync(join(cache, "a", "b"), { recursive: true });
    writeFileSync(join(cache, "one"), "123");
    writeFileSync(join(cache, "a", "b", "two"), "4567");
    expect(bytesIn([cache])).toBe(7);
    expect(bytesIn([cache, join(cache, "missing")])).toBe(7);
  });
});
