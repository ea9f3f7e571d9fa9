import { DeviceError, KernelError, VerifyError } from "../../core/errors.js";
import { UnfinishedError } from "../../jobs/sealed.js";
import { ExitCode } from "../exit_code.js";

/** Errors of the system that another try may not meet: a full or a failing disk, a network file system. */
const passing = new Set([
  "EIO",
  "ENOSPC",
  "EDQUOT",
  "EROFS",
  "ESTALE",
  "ENXIO",
  "ENODEV",
  "EREMOTEIO",
  "ENOLINK",
  "ETIMEDOUT",
  "ENETDOWN",
  "ENETUNREACH",
  "EHOSTDOWN",
  "EHOSTUNREACH",
  "ECONNRESET",
  "ECONNREFUSED",
  "EAGAIN",
  "EBUSY",
  "EINTR",
  "ENOMEM",
  "EMFILE",
  "ENFILE",
]);

/**
 * What a task's error tells an engine: 3 for a device that failed or computed a wrong result, 4 for a disk or a
 * network file system, and for a task that must run first; 2 for wrong input or options, which no other try
 * mends.
 */
export function jobExitCode(error: unknown): number {
  if (error instanceof DeviceError || error instanceof KernelError || error instanceof VerifyError) {
    return ExitCode.device;
  }
  if (error instanceof UnfinishedError) return ExitCode.storage;
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (passing.has((cause as NodeJS.ErrnoException).code ?? "")) return ExitCode.storage;
  }
  return ExitCode.error;
}
