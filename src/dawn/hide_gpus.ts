import type { HostGpu } from "./host_gpus.js";

/** The files of all GPUs but one. */
export function filesOfOthers(gpu: HostGpu, gpus: readonly HostGpu[]): string[] {
  return gpus.filter((other) => other !== gpu).flatMap(({ files }) => files);
}

/** A line of shell that starts a program so that it sees only one of some GPUs. */
export function hidingLine(gpu: HostGpu, gpus: readonly HostGpu[], program: string): string {
  const mounts = filesOfOthers(gpu, gpus).map((file) => `mount -o bind /dev/null ${file}`);
  return `unshare -Urm sh -c '${mounts.join(" && ")} && exec ${program}'`;
}
