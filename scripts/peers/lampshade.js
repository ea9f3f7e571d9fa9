import initialize, { open as openSorter } from "lampshade-page/lampshade_page.js";
import wasm from "lampshade-page/lampshade_page_bg.wasm";

export const types = ["u32"];

export async function open() {
  await initialize({ module_or_path: wasm });
  const sorter = await openSorter();
  // It requests an adapter by itself, which is the browser's only one.
  const { vendor, architecture } = (await navigator.gpu.requestAdapter()).info;
  return { adapter: `${vendor} ${architecture}`, sort: (keys) => sorter.sort(keys) };
}
