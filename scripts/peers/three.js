// @ts-expect-error: scripts/peers.js installs it
import { BitonicSort } from "three/addons/gpgpu/BitonicSort.js";
// @ts-expect-error: scripts/peers.js installs it
import { instancedArray } from "three/tsl";
// @ts-expect-error: scripts/peers.js installs it
import { WebGPURenderer } from "three/webgpu";

export const types = ["u32", "i32", "f32"];

const nodeTypes = { u32: "uint", i32: "int", f32: "float" };

export async function open() {
  const renderer = new WebGPURenderer();
  await renderer.init();
  const { vendor, architecture } = renderer.backend.device.adapterInfo;
  /**
   * @param {import("./buffers.js").Keys} array
   * @param {"u32" | "i32" | "f32"} type
   */
  const sort = async (array, type) => {
    const data = instancedArray(array.slice(), nodeTypes[type]);
    new BitonicSort(renderer, data).compute(renderer);
    const make = /** @type {new (buffer: ArrayBuffer) => typeof array} */ (array.constructor);
    return new make(await renderer.getArrayBufferAsync(data.value));
  };
  return { adapter: `${vendor} ${architecture}`, sort };
}
