import { execFileSync } from "node:child_process";
import { type Browser, launch } from "puppeteer-core";
import { describe } from "vitest";
import { HANG_MS } from "../support/hang_limit.js";
import { type Needs, needs } from "../support/needs.js";

/** Options that make Chromium run WebGPU without a GPU and without a screen. */
const args = [
  "--no-sandbox",
  "--enable-unsafe-webgpu",
  "--enable-features=Vulkan",
  "--use-vulkan=swiftshader",
  "--use-webgpu-adapter=swiftshader",
];

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/**
 * Starts headless Chromium on SwiftShader. Without GPUSORT_CHROMIUM, which may name an executable, it tries
 * the PATH and then the npm package `@sparticuz/chromium`, which needs some libraries of the system.
 *
 * @returns the browser, or the reason why none starts.
 */
export async function openChromium(): Promise<Browser | string> {
  const named = process.env.GPUSORT_CHROMIUM;
  const failures: string[] = [];
  for (const find of named ? [async () => named] : [onPath, packaged]) {
    try {
      const executablePath = await find();
      const headless = find === packaged ? "shell" : true;
      if (executablePath) {
        return await launch({ executablePath, headless, args, timeout: HANG_MS, protocolTimeout: HANG_MS });
      }
    } catch (error) {
      failures.push((error as Error).message.split("\n")[0]!);
    }
  }
  return ["no Chromium starts", ...failures].join("; ");
}

/**
 * Declares a suite that needs a browser, or a page in one.
 *
 * @param opened - It, or the reason why there is none.
 */
export function describeIn<Opened extends object>(
  opened: Opened | string,
  name: string,
  suite: (opened: Opened) => void | Promise<void>,
): void {
  if (typeof opened === "string") needsChromium(opened).describe(name, () => {});
  else describe(name, () => suite(opened));
}

/** @param reason - Why there is none. */
export const needsChromium = (reason: string): Needs =>
  needs(false, `Chromium (GPUSORT_CHROMIUM may name one): ${reason}`);

async function onPath(): Promise<string | undefined> {
  for (const name of names) {
    try {
      return execFileSync("sh", ["-c", 'command -v "$1"', "sh", name], { encoding: "utf8" }).trim();
    } catch {
      // not on the PATH
    }
  }
  return undefined;
}

async function packaged(): Promise<string> {
  const { default: chromium } = await import("@sparticuz/chromium");
  return chromium.executablePath();
}
