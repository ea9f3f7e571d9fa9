import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, describe, expect, it, vi } from "vitest";
import { keepCompiledCode } from "../../src/commands/compiled_code.js";

const world = vi.hoisted(() => ({ folder: "" }));
vi.mock("../../src/files/cache_folder.js", () => ({ cacheFolder: async () => world.folder }));

const root = mkdtempSync(join(tmpdir(), "gpusort-code-"));
afterAll(() => rmSync(root, { recursive: true }));
afterEach(() => vi.restoreAllMocks());

/** Lets Node have this function, as Node 22 does, or lack it, as Node 20 does. */
function nodeHas(enableCompileCache: unknown): void {
  const { getBuiltinModule } = process;
  vi.spyOn(process, "getBuiltinModule").mockImplementation((name: string) =>
    name === "node:module" ? { enableCompileCache } : getBuiltinModule(name),
  );
}

describe("compiled code", () => {
  it("is kept in a folder of this user alone", async () => {
    const enable = vi.fn();
    nodeHas(enable);
    world.folder = join(root, "cache");
    await keepCompiledCode();
    expect(enable).toHaveBeenCalledExactlyOnceWith(join(root, "cache", "code"));
    if (process.platform !== "win32") expect(statSync(join(root, "cache", "code")).mode & 0o777).toBe(0o700);
  });

  it("is not kept if there is no such folder, or if Node cannot keep it", async () => {
    const enable = vi.fn();
    nodeHas(enable);
    world.folder = join(root, "file");
    writeFileSync(world.folder, "");
    await keepCompiledCode();
    expect(enable).not.toHaveBeenCalled();

    nodeHas(undefined);
    world.folder = join(root, "unused");
    await keepCompiledCode();
    expect(readdirSync(root)).not.toContain("unused");
  });
});
