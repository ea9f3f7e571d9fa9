import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { parseTar } from "nanotar";

/**
 * SwiftShader, a Vulkan driver that runs on the CPU, and a Vulkan loader, out of the npm package
 * @sparticuz/chromium where that is installed (linux-x64 only). They make gpusort work on a machine with no
 * GPU and no Vulkan at all.
 */
export interface EmbeddedDriver {
  /** The manifest by which a Vulkan loader finds the driver. */
  readonly manifest: string;
  /** A libvulkan.so.1 to use where the system has none. */
  readonly loader: string;
}

const PACKAGE = "@sparticuz/chromium";
const MANIFEST = "vk_swiftshader_icd.json";

/** Unpacks the driver into the user's cache, once a version. @returns undefined where there is none. */
export function embeddedDriver(): EmbeddedDriver | undefined {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const root = packageRoot();
  if (root === undefined) return undefined;
  const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string };
  for (const cache of [process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), tmpdir()]) {
    const folder = join(cache, "gpusort", `swiftshader-${version}`);
    const driver = { manifest: join(folder, MANIFEST), loader: join(folder, "libvulkan.so.1") };
    if (existsSync(driver.manifest)) return driver;
    try {
      unpack(join(root, "bin", "swiftshader.tar.br"), folder);
      return driver;
    } catch {
      // A cache that cannot be written, such as a service's without a home: the next, or no driver.
    }
  }
  return undefined;
}

/** The package exports its main module only, which lies in a folder of its root. */
function packageRoot(): string | undefined {
  try {
    let folder = dirname(createRequire(import.meta.url).resolve(PACKAGE));
    while (!folder.endsWith(join(...PACKAGE.split("/")))) {
      const parent = dirname(folder);
      if (parent === folder) return undefined;
      folder = parent;
    }
    return folder;
  } catch {
    return undefined;
  }
}

/** Into a folder beside the target first, so that two processes at once both find a whole driver. */
function unpack(archive: string, folder: string): void {
  mkdirSync(dirname(folder), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  for (const { name, data } of parseTar(brotliDecompressSync(readFileSync(archive)))) {
    if (data) writeFileSync(join(fresh, name), data, { mode: 0o755 });
  }
  try {
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(join(folder, MANIFEST))) throw error; // else another process was first
  }
}

/** Whether the dynamic linker finds a Vulkan loader: only then may Dawn be asked for a Vulkan adapter. */
export function systemHasVulkanLoader(): boolean {
  return linkable("libvulkan.so.1");
}

/**
 * Makes the embedded driver known to the system's Vulkan loader, beside the drivers that it knows. Where there is
 * none, the embedded loader takes its place, with the embedded driver alone.
 */
export function enable(driver: EmbeddedDriver): void {
  if (!systemHasVulkanLoader()) {
    process.env.VK_DRIVER_FILES = driver.manifest;
    linkable(driver.loader);
    return;
  }
  const lists = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].filter((name) => process.env[name]);
  for (const name of lists.length > 0 ? lists : ["VK_ADD_DRIVER_FILES"]) {
    const others = process.env[name]?.split(":").filter((file) => file !== driver.manifest) ?? [];
    process.env[name] = [...others, driver.manifest].join(":");
  }
}

/**
 * Loads a shared library for good. `process.dlopen` is meant for addons and says so of anything else, but the
 * library is then loaded, and Dawn's own dlopen of the same name finds it.
 */
function linkable(library: string): boolean {
  const RTLD_NODELETE = 0x1000;
  const { RTLD_NOW, RTLD_GLOBAL } = constants.dlopen;
  try {
    process.dlopen({ exports: {} }, library, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    return true;
  } catch (error) {
    return (error as Error).message.includes("did not self-register");
  }
}
