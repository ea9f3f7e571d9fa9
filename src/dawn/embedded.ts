import { lstatSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { DeviceError } from "../core/errors.js";
import { readOwnFile } from "../files/own_files.js";
import { driverFolder } from "./driver_files.js";
import { showToLibraries } from "./native_environment.js";
import { loadVulkanLoader } from "./vulkan_loader.js";

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

const MAX_SETTINGS_BYTES = 64 << 10;

let found: Promise<EmbeddedDriver | undefined> | undefined;

/**
 * Finds the driver and checks its files, once per process.
 *
 * @returns the driver; undefined if there is none for this machine.
 * @throws DeviceError if the package is installed, but its driver cannot be unpacked or loaded safely.
 */
export function embeddedDriver(): Promise<EmbeddedDriver | undefined> {
  found ??= findDriver();
  return found;
}

async function findDriver(): Promise<EmbeddedDriver | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const root = packageRoot();
  if (root === undefined) return undefined;
  requireOwnSettings();
  const folder = await driverFolder({
    version: await versionAt(root),
    archive: join(root, "bin", "swiftshader.tar.br"),
  });
  return { manifest: join(folder, "vk_swiftshader_icd.json"), loader: join(folder, "libvulkan.so.1") };
}

/**
 * SwiftShader reads this file from the current folder without a check of its owner. If it is a named pipe,
 * SwiftShader never returns.
 */
function requireOwnSettings(): void {
  const settings = resolve("SwiftShader.ini");
  if (!lstatSync(settings, { throwIfNoEntry: false })) return;
  if (readOwnFile(settings, MAX_SETTINGS_BYTES)) return;
  throw new DeviceError(`the driver would read ${settings}, which is no regular file of this user alone`, {
    hint: "remove that file, run in another folder, or choose another device",
  });
}

/** The package's version; empty, which is no known one, if its manifest is damaged. */
async function versionAt(root: string): Promise<string> {
  const { object, parse, string } = await import("valibot"); // most sorts need no embedded driver, nor this
  try {
    const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    return parse(object({ version: string() }), manifest).version;
  } catch {
    return "";
  }
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
 * Adds the embedded driver to the drivers of the system's Vulkan loader. If the system has no loader, loads
 * the embedded loader with the embedded driver alone.
 */
export function enableDriver(driver: EmbeddedDriver): void {
  if (!loadVulkanLoader()) {
    setVariable("VK_DRIVER_FILES", driver.manifest);
    loadVulkanLoader(driver.loader);
    return;
  }
  const lists = ["VK_DRIVER_FILES", "VK_ICD_FILENAMES"].filter((name) => process.env[name]);
  for (const name of lists.length > 0 ? lists : ["VK_ADD_DRIVER_FILES"]) {
    const others = process.env[name]?.split(":").filter((file) => file !== driver.manifest) ?? [];
    setVariable(name, [...others, driver.manifest].join(":"));
  }
}

function setVariable(name: string, value: string): void {
  process.env[name] = value;
  showToLibraries([name]);
}
