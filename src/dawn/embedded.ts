import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { constants, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { brotliDecompressSync } from "node:zlib";
import { cacheFolder } from "../files/cache_folder.js";

/**
 * SwiftShader (a Vulkan driver that runs on the CPU) and a Vulkan loader. They come from the npm package
 * `@sparticuz/chromium` if that is installed, on linux-x64 only. With them, gpusort works on a machine
 * without a GPU and without Vulkan.
 */
export interface EmbeddedDriver {
  /** The path of the manifest by which a Vulkan loader finds the driver. */
  readonly manifest: string;
  /** The path of a libvulkan.so.1 for systems that have none. */
  readonly loader: string;
}

const PACKAGE = "@sparticuz/chromium";
const MANIFEST = "vk_swiftshader_icd.json";

/**
 * Unpacks the driver into the user's cache, once per version of the package.
 *
 * @returns the driver; undefined if there is none for this machine, or if no cache folder can be written.
 */
export async function embeddedDriver(): Promise<EmbeddedDriver | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const root = packageRoot();
  if (root === undefined) return undefined;
  const { object, parse, string } = await import("valibot"); // most sorts need no embedded driver, nor this
  const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
  const { version } = parse(object({ version: string() }), manifest);
  for (const cache of [await cacheFolder(), join(tmpdir(), "gpusort")]) {
    const folder = join(cache, `swiftshader-${version}`);
    const driver = { manifest: join(folder, MANIFEST), loader: join(folder, "libvulkan.so.1") };
    if (existsSync(driver.manifest)) return driver;
    try {
      await unpack(join(root, "bin", "swiftshader.tar.br"), folder);
      return driver;
    } catch {
      // This cache cannot be written, for example by a service without a home folder. Try the next one.
    }
  }
  return undefined;
}

/** Finds the package's root from its main module, because the package exports nothing else. */
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

/**
 * Unpacks into a temporary folder and renames it, so that concurrent processes never see a part of the
 * driver.
 */
async function unpack(archive: string, folder: string): Promise<void> {
  const { parseTar } = await import("nanotar"); // only the first start on a machine unpacks
  mkdirSync(dirname(folder), { recursive: true });
  const fresh = mkdtempSync(`${folder}-`);
  for (const { name, data } of parseTar(brotliDecompressSync(readFileSync(archive)))) {
    if (data) writeFileSync(join(fresh, name), data, { mode: 0o755 });
  }
  try {
    renameSync(fresh, folder);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    if (!existsSync(join(folder, MANIFEST))) throw error; // otherwise another process was faster
  }
}

/**
 * @returns whether the dynamic linker finds a Vulkan loader. Without one, Dawn must not be asked for Vulkan
 *   adapters.
 */
export function systemHasVulkanLoader(): boolean {
  return loadLibrary("libvulkan.so.1");
}

/**
 * Adds the embedded driver to the drivers of the system's Vulkan loader. If the system has no loader, loads
 * the embedded loader with the embedded driver alone.
 */
export function enableDriver(driver: EmbeddedDriver): void {
  if (!systemHasVulkanLoader()) {
    process.env.VK_DRIVER_FILES = driver.manifest;
    loadLibrary(driver.loader);
    return;
  }
  const lists = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].filter((name) => process.env[name]);
  for (const name of lists.length > 0 ? lists : ["VK_ADD_DRIVER_FILES"]) {
    const others = process.env[name]?.split(":").filter((file) => file !== driver.manifest) ?? [];
    process.env[name] = [...others, driver.manifest].join(":");
  }
}

/**
 * Loads a shared library permanently. `process.dlopen` is meant for addons, so it throws for any other
 * library. But the library stays loaded, and Dawn's own dlopen of the same name finds it.
 *
 * @returns whether the library was loaded.
 */
function loadLibrary(library: string): boolean {
  const RTLD_NODELETE = 0x1000;
  const { RTLD_NOW, RTLD_GLOBAL } = constants.dlopen;
  try {
    process.dlopen({ exports: {} }, library, RTLD_NOW | RTLD_GLOBAL | RTLD_NODELETE);
    return true;
  } catch (error) {
    return (error as Error).message.includes("did not self-register");
  }
}
