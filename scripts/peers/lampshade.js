// @ts-expect-error: scripts/peers.js compiles it
import initialize, { open as openSorter } from "lampshade-page/lampshade_page.js";
// @ts-expect-error: scripts/peers.js compiles it
import wasm from "lampshade-page/lampshade_page_bg.wasm";

export const types = ["u32"];

export async function open() {
  await initialize({ module_or_path: wasm });
  const sorter = await openSorter();
  // It requests an adapter by itself, which is the browser's only one.
  const { vendor, architecture } = /** @type {GPUAdapter} */ (await navigator.gpu.requestAdapter()).info;
  return {
    adapter: `${vendor} ${architecture}`,
    sort: (/** @type {Uint32Array} */ keys) => sorter.sort(keys),
  };
}
