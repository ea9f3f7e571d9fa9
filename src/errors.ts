/** What every error may carry besides its message. */
export interface ErrorDetails {
  /** What the user can do about it: one imperative clause or sentence. */
  hint?: string;
  cause?: unknown;
}

/** The root of every error that gpusort throws on purpose. Anything else that escapes is a bug. */
export class GpusortError extends Error {
  override readonly name: string = "GpusortError";
  readonly hint: string | undefined;

  constructor(message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.hint = details.hint;
  }
}

/** The caller's input or options are wrong: a file, a type, a size, a flag. Nothing was done. */
export class InputError extends GpusortError {
  override readonly name = "InputError";
}

/** No adapter, a device that was lost, memory that ran out, or a command that the driver refused. */
export class DeviceError extends GpusortError {
  override readonly name = "DeviceError";
  /** Whether less at a time may well succeed. */
  readonly outOfMemory: boolean;

  constructor(message: string, details: ErrorDetails & { outOfMemory?: boolean } = {}) {
    super(message, { hint: "run again, or choose another with --device", ...details });
    this.outOfMemory = details.outOfMemory ?? false;
  }
}

/** A WGSL kernel did not compile on this device: a bug in gpusort or in the driver. */
export class KernelError extends GpusortError {
  override readonly name = "KernelError";
  /** The file under wgsl/ that failed, without its ending. */
  readonly kernel: string;

  constructor(kernel: string, message: string, details: ErrorDetails = {}) {
    super(message, {
      hint: "report this with what `gpusort devices` prints, and choose another --device",
      ...details,
    });
    this.kernel = kernel;
  }
}

/** The result failed its own check, so it was not published: the driver or the machine computed wrongly. */
export class VerifyError extends GpusortError {
  override readonly name = "VerifyError";
}
