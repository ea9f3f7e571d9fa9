import { type OpenedDevice, openDevice } from "../device/adapter.js";
import { CpuEngine } from "./cpu.js";
import type { Engine } from "./engine.js";
import { GpuEngine } from "./gpu.js";
import { provenTraits } from "./lockstep.js";

export interface OpenedEngine {
  readonly engine: Engine;
  /** What the user should know of the choice, in one line; undefined if it is what was asked for. */
  readonly notice: string | undefined;
  /** Whether it has memory and processors of its own, and leaves this machine's alone. */
  readonly hardware: boolean;
  /** What the engine runs on; undefined for the CPU's. */
  readonly device: OpenedDevice | undefined;
}

/**
 * @param selector auto, gpu, software, cpu, or a part of an adapter's name.
 * @throws DeviceError if the selector asks for an adapter that is not there or that gives no device.
 */
export async function openEngine(selector: string): Promise<OpenedEngine> {
  const opened = await openDevice(selector);
  if (opened) {
    const { gpu, adapter } = opened;
    const engine = new GpuEngine(gpu, `${adapter.name}, ${adapter.driver}`, await provenTraits(gpu));
    return { engine, notice: undefined, device: opened, hardware: !adapter.software };
  }
  const notice =
    selector === "cpu"
      ? undefined
      : "no GPU adapter was found, so this runs on the CPU; for one, install a GPU driver or the npm package @sparticuz/chromium";
  return { engine: new CpuEngine(), notice, device: undefined, hardware: false };
}
