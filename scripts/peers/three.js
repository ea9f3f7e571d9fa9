import { BitonicSort } from "three/addons/gpgpu/BitonicSort.js";
import { instancedArray } from "three/tsl";
import { WebGPURenderer } from "three/webgpu";

export const types = ["u32", "i32", "f32"];

const nodeTypes = { u32: "uint", i32: "int", f32: "float" };

export async function open() {
  const renderer = new WebGPURenderer();
  await renderer.init();
  const { vendor, architecture } = renderer.backend.device.adapterInfo;
  const sort = async (array, type) => {
    const data = instancedArray(array.slice(), nodeTypes[type]);
    new BitonicSort(renderer, data).compute(renderer);
    return new array.constructor(await renderer.getArrayBufferAsync(data.value));
  };
  return { adapter: `${vendor} ${architecture}`, sort };
}
