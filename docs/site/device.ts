import { deviceDescriptor } from "../../src/core/device/descriptor.js";
import { Gpu } from "../../src/core/device/gpu.js";
import { library } from "../../src/demo_kernels/kernels.js";
import { messageOf } from "./elements.js";

/** A device for the whole page, or why there is none. */
export interface PageDevice {
  readonly gpu?: Gpu;
  /** The adapter's name, or the reason in a sentence. */
  readonly text: string;
}

/** Opens the visitor's GPU with all limits that gpusort can use. */
export async function openPageDevice(): Promise<PageDevice> {
  if (!navigator.gpu) {
    const why = isSecureContext
      ? "This browser has no WebGPU."
      : "WebGPU needs a secure page: https, or localhost.";
    return { text: `${why} Use a current Chrome, Edge, Safari or Firefox.` };
  }
  try {
    const adapter = await navigator.gpu.requestAdapter({ powerPreference: "high-performance" });
    if (!adapter) return { text: "This browser has WebGPU, but found no GPU that it may use." };
    const device = await adapter.requestDevice(deviceDescriptor(adapter));
    const { info } = adapter;
    const name = [info.vendor, info.architecture, info.description].filter(Boolean).join(" ");
    const gpu = new Gpu(device, { shared: true });
    gpu.kernels.add(library);
    return { gpu, text: name || "a GPU without a name" };
  } catch (error) {
    return { text: `The GPU did not open: ${messageOf(error)}` };
  }
}
