import { readdirSync } from "node:fs";

/** The names of device files of GPUs in /dev: NVIDIA, AMD's compute driver, Windows' Linux, Mali, Adreno. */
const ofGpus = /^(nvidia\d+|kfd|dxg|mali\d+|kgsl-3d\d+)$/;

/**
 * Whether this machine may have a GPU. It asks no driver, so it takes no time. On Linux a GPU has a device
 * file; elsewhere it says yes.
 */
export function mayHaveGpu(platform: string = process.platform, folder = "/dev"): boolean {
  if (platform !== "linux") return true;
  const has = (path: string, name: RegExp) => {
    try {
      return readdirSync(path).some((entry) => name.test(entry));
    } catch {
      return false; // there is no such folder
    }
  };
  return has(folder, ofGpus) || has(`${folder}/dri`, /^renderD\d+$/);
}
