import { readdirSync } from "node:fs";

/** The names of device files of GPUs in /dev: NVIDIA, AMD's compute driver, Windows' Linux, Mali, Adreno. */
const ofGpus = /^(nvidia\d+|kfd|dxg|mali\d+|kgsl-3d\d+)$/;

/**
 * Whether this machine may have a GPU. It asks no driver, so it takes no time. On Linux a GPU has a device
 * file; elsewhere, and where this process may not see those, it says yes.
 */
export function mayHaveGpu(platform: string = process.platform, folder = "/dev"): boolean {
  if (platform !== "linux") return true;
  const has = (path: string, name: RegExp) => {
    try {
      return readdirSync(path).some((entry) => name.test(entry));
    } catch (error) {
      // Unless there is no such folder, this process may not look: Deno forbids it but to who may do all.
      return (error as NodeJS.ErrnoException).code !== "ENOENT";
    }
  };
  return has(folder, ofGpus) || has(`${folder}/dri`, /^renderD\d+$/);
}
