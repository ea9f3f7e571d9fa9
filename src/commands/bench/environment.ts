import { createRequire } from "node:module";
import { cpus, release, totalmem, type } from "node:os";
import type { AdapterEnvironment, Environment } from "../../bench/schema.js";
import { commit, version } from "../../build.generated.js";
import type { GpuClock } from "../../core/engines/engine.js";
import { dawnOptions } from "../../dawn/adapter.js";
import type { OpenedEngine } from "../../dawn/open_engine.js";

/**
 * Describes where a benchmark runs: versions, operating system, processor, memory and adapter.
 *
 * @param threads the most threads that the CPU engine uses.
 */
export function environment({ engine, device }: OpenedEngine, threads: number): Environment {
  const all = cpus();
  return {
    gpusort: version,
    commit,
    node: process.version,
    v8: process.versions.v8,
    dawn: (createRequire(import.meta.url)("webgpu/package.json") as { version: string }).version,
    toggles: dawnOptions,
    os: `${type()} ${release()} ${process.arch}`,
    cpu: all[0]?.model ?? "unknown",
    cores: all.length,
    threads,
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
