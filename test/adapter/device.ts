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

/** Defines a suite for the device under test. Without a device, the suite is listed as skipped. */
export function describeOnDevice(name: string, suite: (opened: OpenedDevice) => void): void {
  if (opened) describe(name, () => suite(opened));
  else describe.runIf(false)(name, () => it("needs such an adapter", () => {}));
}
