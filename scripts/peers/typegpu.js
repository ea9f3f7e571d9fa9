// @ts-expect-error: scripts/peers.js installs it
import { createBitonicSorter } from "@typegpu/sort";
// @ts-expect-error: scripts/peers.js installs it
import { d, tgpu } from "typegpu";

export const types = ["u32"];

export async function open() {
  const root = await tgpu.init();
  const { vendor, architecture } = root.device.adapterInfo;
  /** @param {Uint32Array<ArrayBuffer>} array */
  const sort = async (array) => {
    const buffer = root.createBuffer(d.arrayOf(d.u32, array.length), [...array]).$usage("storage");
    const sorter = createBitonicSorter(root, buffer);
    sorter.run();
    const sorted = new Uint32Array(await buffer.read());
    sorter.destroy();
    buffer.destroy();
    return sorted;
  };
  return { adapter: `${vendor} ${architecture}`, sort };
}
