import { spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, expect, it } from "vitest";
import { DRIVER } from "../../src/dawn/driver_files.js";
import { embeddedFolder } from "../../src/dawn/embedded.js";
import { needs } from "../support/needs.js";

const embedded = await embeddedFolder();
const withDriver = needs(embedded, "the embedded driver, which may stand in for a Vulkan loader");

const folder = mkdtempSync(join(tmpdir(), "gpusort-loader-"));
afterAll(() => rmSync(folder, { recursive: true }));

const module = JSON.stringify(resolve("dist/dawn/vulkan_loader.js"));

/** Whether a new process says that it has loaded each of these libraries. */
function loads(...libraries: string[]): boolean[] {
  const script = `import(${module}).then(({ loadVulkanLoader }) =>
    console.log(JSON.stringify(process.argv.slice(1).map((library) => loadVulkanLoader(library)))))`;
  const { stdout, stderr } = spawnSync(process.execPath, ["-e", script, ...libraries], { encoding: "utf8" });
  expect(stderr).toBe("");
  return JSON.parse(stdout);
}

withDriver.describe("a Vulkan loader", () => {
  it("is loaded, once or twice, and by a link of any name", () => {
    const driver = join(embedded!, DRIVER);
    const other = join(folder, "libacme.so");
    copyFileSync(driver, other);
    const link = join(folder, "libvulkan.so.1");
    symlinkSync(other, link);
    expect(loads(driver, driver)).toEqual([true, true]);
    expect(loads(link)).toEqual([true]);
  });

  it("is not loaded if it is missing, or no library", () => {
    const text = join(folder, "libvulkan-text.so");
    writeFileSync(text, "no library");
    const results = loads(join(folder, "missing.so"), text, "libno-such-vulkan.so.1");
    expect(results).toEqual([false, false, false]);
  });
});
