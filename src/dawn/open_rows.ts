import type { GpuRows } from "../core/engines/gpu_rows.js";
import type { OpenDevice, OpenedDevice } from "./adapter.js";

/** What sorts rows of text, and the device that it runs on. */
export interface OpenedRows {
  readonly rows: GpuRows;
  readonly device: OpenedDevice;
}

/**
 * Opens what sorts rows of text on a device.
 *
 * @param selector any but "auto" and "cpu", as in `chooseAdapter`.
 * @returns undefined if the selector means the CPU.
 * @throws DeviceError if no adapter matches the selector, or if the adapter does not open a device.
 */
export async function openRows(
  selector: string,
  openDevice?: OpenDevice | undefined,
): Promise<OpenedRows | undefined> {
  const open = openDevice ?? (await import("./adapter.js")).openDevice;
  const device = await open(selector);
  if (!device) return undefined;
  const { gpu, adapter } = device;
  const { GpuRows } = await import("../core/engines/gpu_rows.js");
  const { testedTraits } = await import("./tested_traits.js");
  const traits = await testedTraits(gpu, adapter);
  return { rows: new GpuRows(gpu, `${adapter.name}, ${adapter.driver}`, traits), device };
}
