import { execFile } from "node:child_process";
import { createRequire } from "node:module";
import { cpus, release, totalmem, type } from "node:os";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import type { AdapterEnvironment, Environment } from "../bench/schema.js";
import { version } from "../build.generated.js";
import type { GpuClock } from "../core/engines/engine.js";
import { dawnOptions } from "../dawn/adapter.js";
import type { OpenedEngine } from "../dawn/open_engine.js";

/** Describes where a benchmark runs: versions, operating system, processor, memory and adapter. */
export async function environment({ engine, device }: OpenedEngine): Promise<Environment> {
  const all = cpus();
  return {
    gpusort: version,
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
  gpuClock: GpuClock = "wall clock",
): AdapterEnvironment {
  return { name, driver, vendor, architecture, software, subgroupSize, gpuClock };
}

/**
 * The commit of the Git clone that this runs from, with "-dirty" if tracked files were changed. It is null
 * for an installed package.
 */
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
