import { availableParallelism, cpus, hostname } from "node:os";
import { version } from "../build.generated.js";

/** Everything that the CPU's times depend on, and the host name, since several hosts may share one cache. */
export function machineKey(): string {
  const model = cpus()[0]?.model ?? "";
  return [hostname(), model, availableParallelism(), process.version, version].join("; ");
}
