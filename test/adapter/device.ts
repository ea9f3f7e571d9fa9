import { describe, it } from "vitest";
import { DeviceError } from "../../src/core/errors.js";
import { type OpenedDevice, openDevice } from "../../src/dawn/adapter.js";

/** The adapter to test, as `--device` selects it. */
export const selector = process.env.GPUSORT_TEST_DEVICE ?? "software";

/** The device under test. If this machine has no such device, it is undefined and a message says so. */
export const opened: OpenedDevice | undefined = await openDevice(selector).catch((error: unknown) => {
  if (!(error instanceof DeviceError)) throw error;
  process.stderr.write(`SKIPPED: the device tests on '${selector}': ${error.message}\n`);
  return undefined;
});

/**
 * What a test takes for its cases: `some` on lavapipe, else `all`. Lavapipe takes seconds to compile a kernel,
 * and SwiftShader runs all of the cases in another test project. Only for kernels that both adapters run.
 */
export function fewerOnLavapipe<const T>(all: readonly T[], some: readonly T[]): readonly T[] {
  return selector === "llvmpipe" ? some : all;
}

/** Defines a suite for the device under test. Without a device, the suite is listed as skipped. */
export function describeOnDevice(name: string, suite: (opened: OpenedDevice) => void): void {
  if (opened) describe(name, () => suite(opened));
  else describe.runIf(false)(name, () => it("needs such an adapter", () => {}));
}
