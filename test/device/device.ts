import { describe, it } from "vitest";
import { type OpenedDevice, openDevice } from "../../src/device/adapter.js";
import { DeviceError } from "../../src/errors.js";

/** The adapter that this project is for. */
export const selector = process.env.GPUSORT_TEST_DEVICE ?? "software";

/** The device under test; undefined, and said aloud, where this machine has none like it. */
export const opened: OpenedDevice | undefined = await openDevice(selector).catch((error: unknown) => {
  if (!(error instanceof DeviceError)) throw error;
  process.stderr.write(`SKIPPED: the device tests on '${selector}': ${error.message}\n`);
  return undefined;
});

/** A suite for the device under test, or its name among the skipped where there is none. */
export function describeOnDevice(name: string, suite: (opened: OpenedDevice) => void): void {
  if (opened) describe(name, () => suite(opened));
  else describe.runIf(false)(name, () => it("needs such an adapter", () => {}));
}
