// A web page that sorts in all ways that load different parts of gpusort. test/package/package.test.ts bundles
// it, with the name of a package in place of gpusort/core.
import { createSorter, LoadError } from "gpusort/core";

const keys = Float32Array.from({ length: 3001 }, (_, i) => ((i * 7919) % 3001) - 1500);
const isSorted = (sorted) => {
  const expected = keys.slice().sort();
  return sorted.length === expected.length && sorted.every((key, i) => key === expected[i]);
};

async function sortResident(device, sorter) {
  const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
  const buffer = device.createBuffer({ size: keys.byteLength, usage });
  device.queue.writeBuffer(buffer, 0, keys);
  const sort = await sorter.prepare({ type: "f32", capacity: keys.length, keys: buffer });
  const readback = device.createBuffer({
    size: keys.byteLength,
    usage: GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST,
  });
  const encoder = device.createCommandEncoder();
  sort.encode(encoder);
  encoder.copyBufferToBuffer(sort.keys.buffer, sort.keys.offset, readback, 0, keys.byteLength);
  device.queue.submit([encoder.finish()]);
  await readback.mapAsync(GPUMapMode.READ);
  return new Float32Array(readback.getMappedRange());
}

async function sortAll() {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) return { missing: "it has no adapter" };
  const device = await adapter.requestDevice();
  const sorter = await createSorter(device);
  globalThis.sortAgain = async () => isSorted(await sorter.sort(keys));
  const failed = await sorter.sort(keys).catch((error) => error);
  return {
    resident: isSorted(await sortResident(device, sorter)),
    arrays: failed instanceof LoadError ? failed.message : isSorted(failed),
    cpu: isSorted(await (await createSorter("cpu")).sort(keys)),
  };
}

sortAll()
  .catch((error) => ({ failed: String(error?.stack ?? error) }))
  .then((result) => {
    globalThis.result = result;
  });
