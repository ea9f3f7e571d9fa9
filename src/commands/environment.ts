import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { cpus, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { AdapterEnvironment, Environment } from "../bench/document.js";
import { dawnOptions } from "../device/adapter.js";
import type { OpenedEngine } from "../engines/open.js";

/** gpusort's own version. */
export function packageVersion(): string {
  const manifest = readFileSync(new URL("../../package.json", import.meta.url), "utf8");
  return (JSON.parse(manifest) as { version: string }).version;
}

/** All that a benchmark's reader may want to know of where it ran. */
export async function environment({ engine, device }: OpenedEngine): Promise<Environment> {
  const all = cpus();
  return {
    gpusort: packageVersion(),
    commit: await commit(),
    node: process.version,
    v8: process.versions.v8,
    dawn: (createRequire(import.meta.url)("webgpu/package.json") as { version: string }).version,
    toggles: dawnOptions,
    os: `${type()} ${release()} ${process.arch}`,
    cpu: all[0]?.model ?? "unknown",
    cores: all.length,
    memoryBytes: totalmem(),
    adapter: device ? adapterOf(device.adapter, engine.gpuClock) : null,
  };
}

function adapterOf(
  {
    name,
    driver,
    vendor,
    architecture,
    software,
    subgroupSize,
  }: NonNullable<OpenedEngine["device"]>["adapter"],
  gpuClock: string | undefined,
): AdapterEnvironment {
  return { name, driver, vendor, architecture, software, subgroupSize, gpuClock: gpuClock ?? "wall clock" };
}

/** Of the clone that this runs from; null where it runs from an installed package. */
async function commit(): Promise<string | null> {
  const folder = fileURLToPath(new URL("../../", import.meta.url));
  const git = async (...args: string[]) =>
    (await promisify(execFile)("git", ["-C", folder, ...args])).stdout.trim();
  try {
    if ((await git("rev-parse", "--show-prefix")) !== "") return null;
    const changed = await git("status", "--porcelain", "--untracked-files=no");
    return `${await git("rev-parse", "HEAD")}${changed ? "-dirty" : ""}`;
  } catch {
    return null;
  }
}
