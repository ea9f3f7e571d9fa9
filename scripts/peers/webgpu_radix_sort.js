// @ts-expect-error: scripts/peers.js installs it
import { RadixSortKernel } from "webgpu-radix-sort";
import { download, openDevice, upload } from "./buffers.js";

export const types = ["u32"];

export async function open() {
  const { device, adapter } = await openDevice();
  /** @param {Uint32Array<ArrayBuffer>} array */
  const sort = async (array) => {
    const keys = upload(device, array);
    const kernel = new RadixSortKernel({ device, keys, count: array.length, bit_count: 32 });
    const encoder = device.createCommandEncoder();
    const pass = encoder.beginComputePass();
    kernel.dispatch(pass);
    pass.end();
    device.queue.submit([encoder.finish()]);
    return download(device, keys, array);
  };
  return { adapter, sort };
}
