import { DeviceError } from "../../src/core/errors.js";
import { type OpenedDevice, openDevice } from "../../src/dawn/adapter.js";
import { needs } from "../support/needs.js";

/** The adapter to test, as `--device` selects it. */
export const selector = process.env.GPUSORT_TEST_DEVICE ?? "software";

let why = "";
/** The device under test; undefined where this machine has none. */
export const opened: OpenedDevice | undefined = await openDevice(selector).catch((error: unknown) => {
  if (!(error instanceof DeviceError)) throw error;
  why = error.message;
  return undefined;
});

/** Tests that need the device under test. */
export const withDevice = needs(opened, `the device '${selector}': ${why}`);

/**
 * What a test takes for its cases: `some` on lavapipe, else `all`. Lavapipe takes seconds to compile a kernel,
 * and SwiftShader runs all of the cases in another test project. Only for kernels that both adapters run.
 */
export function fewerOnLavapipe<const T>(all: readonly T[], some: readonly T[]): readonly T[] {
  return selector === "llvmpipe" ? some : all;
}

/** Declares a suite for the device under test. */
export function describeOnDevice(name: string, suite: (opened: OpenedDevice) => void): void {
  withDevice.describe(name, () => suite(opened!));
}

/** Numbers of invocations in a subgroup, whole numbers of which add up the 16 values of a fallback's digit. */
export const UP_TO_16 = [4, 8, 16];

/** Declares a suite for devices whose subgroups have one of these numbers of invocations. */
export function describeOnSubgroups(
  sizes: readonly number[],
  name: string,
  suite: (opened: OpenedDevice, size: number) => void,
): void {
  const traits = opened?.gpu.traits;
  const size = traits?.subgroups ? traits.subgroupSize.min : 0;
  const here = sizes.includes(size);
  const able =
    opened && !here ? needs(here, `subgroups of ${sizes.join(" or ")} on '${selector}'`) : withDevice;
  able.describe(name, () => suite(opened!, size));
}
