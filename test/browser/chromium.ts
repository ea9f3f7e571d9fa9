import { execFileSync } from "node:child_process";
import { type Browser, launch } from "puppeteer-core";

/** What makes Chromium run WebGPU with no GPU and no screen. */
const args = [
  "--no-sandbox",
  "--enable-unsafe-webgpu",
  "--enable-features=Vulkan",
  "--use-vulkan=swiftshader",
  "--use-webgpu-adapter=swiftshader",
];

const names = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/**
 * Headless Chromium on SwiftShader: the one that GPUSORT_CHROMIUM names; else one on the PATH; else that of the npm package
 * @sparticuz/chromium, which runs where the system has the libraries that it needs.
 *
 * @returns the browser, or why there is none.
 */
export async function openChromium(): Promise<Browser | string> {
  const named = process.env.GPUSORT_CHROMIUM;
  const failures: string[] = [];
  for (const find of named ? [async () => named] : [onPath, packaged]) {
    try {
      const executablePath = await find();
      const headless = find === packaged ? "shell" : true;
      if (executablePath) {
        return await launch({ executablePath, headless, args, timeout: 10_000, protocolTimeout: 50_000 });
      }
    } catch (error) {
      failures.push((error as Error).message.split("\n")[0]!);
    }
  }
  return ["there is no Chromium that starts", ...failures].join("; ");
}

async function onPath(): Promise<string | undefined> {
  for (const name of names) {
    try {
      return execFileSync("sh", ["-c", 'command -v "$1"', "sh", name], { encoding: "utf8" }).trim();
    } catch {
      // not this one
    }
  }
  return undefined;
}

async function packaged(): Promise<string> {
  const { default: chromium } = await import("@sparticuz/chromium");
  return chromium.executablePath();
}
