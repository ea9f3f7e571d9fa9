import { lstatSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { DeviceError } from "../core/errors.js";
import { readOwnFile } from "../files/own_files.js";
import { DAWN_MODULE, driverFolder } from "./driver_files.js";

const PACKAGE = "@sparticuz/chromium";

const MAX_SETTINGS_BYTES = 64 << 10;

/**
 * Loads the Dawn that finds SwiftShader and no other adapter.
 *
 * @returns undefined if there is no driver for this machine.
 * @throws DeviceError if the driver's package is installed, but cannot be unpacked or loaded safely.
 */
export async function embeddedDawn(): Promise<typeof import("webgpu") | undefined> {
  const folder = await embeddedFolder();
  if (folder === undefined) return undefined;
  const { href } = pathToFileURL(join(folder, DAWN_MODULE));
  return import(/* @vite-ignore */ href).catch(notLoaded);
}

let driver: Promise<string | undefined> | undefined;

/**
 * Finds SwiftShader, a Vulkan driver that runs on the CPU, and checks its file, once per thread. It comes from
 * the npm package `@sparticuz/chromium` if that is installed, on linux-x64 only. With it, gpusort works on a
 * machine without a GPU and without Vulkan.
 *
 * A Vulkan loader would find the driver by a variable of the environment, which is the host's, and which a
 * Worker cannot set. So a copy of Dawn is used that finds it without one, in place of a loader.
 *
 * @returns the folder of that Dawn and the driver; undefined if there is no driver for this machine.
 * @throws DeviceError if the package is installed, but its driver cannot be unpacked or loaded safely.
 */
export function embeddedFolder(): Promise<string | undefined> {
  driver ??= findDriver();
  return driver;
}

async function findDriver(): Promise<string | undefined> {
  if (process.platform !== "linux" || process.arch !== "x64") return undefined;
  const [root, dawn] = [packageRoot(PACKAGE), packageRoot("webgpu")];
  if (root === undefined || dawn === undefined) return undefined;
  requireOwnSettings();
  return driverFolder({
    driver: { version: await versionAt(root), archive: join(root, "bin", "swiftshader.tar.br") },
    dawn: { version: await versionAt(dawn), root: dawn },
  });
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

/** Finds a package's root from its main module, because not every package exports anything else. */
function packageRoot(name: string): string | undefined {
  try {
    let folder = dirname(createRequire(import.meta.url).resolve(name));
    while (!folder.endsWith(join(...name.split("/")))) {
      const parent = dirname(folder);
      if (parent === folder) return undefined;
      folder = parent;
    }
    return folder;
  } catch {
    return undefined;
  }
}

/** @throws DeviceError that says why Dawn did not load. */
export function notLoaded(cause: Error): never {
  const [problem] = cause.message.split("\n");
  throw new DeviceError(`the npm package webgpu does not load: ${problem}`, {
    hint: "install it again on this machine, or choose the CPU",
    cause,
  });
}
