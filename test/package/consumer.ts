import {
  createSorter,
  deviceDescriptor,
  InputError,
  LoadError,
  type PreparedSort,
  radixPlan,
  type Sorter,
  type Words,
} from "gpusort/core";

export async function sortOn(device: GPUDevice, buffer: GPUBuffer): Promise<Float32Array> {
  const sorter: Sorter = await createSorter(device);
  const prepared: PreparedSort = await sorter.prepare({ type: "f32", capacity: 100, keys: buffer });
  prepared.encode(device.createCommandEncoder());
  prepared[Symbol.dispose]();
  const { keys, values } = await sorter.sortPairs(new Float32Array([2, 1]), new Uint32Array([1, 2]));
  const words: Words = { keys: values };
  const ends: Disposable = sorter;
  if (!words || !radixPlan || !ends) throw new LoadError("none", { cause: InputError });
  return keys;
}

export async function deviceOf(adapter: GPUAdapter): Promise<GPUDevice> {
  const descriptor = deviceDescriptor(adapter);
  const requiredFeatures: GPUFeatureName[] = [...descriptor.requiredFeatures, "shader-f16"];
  return adapter.requestDevice({ ...descriptor, requiredFeatures });
}

export async function countOf(sorter: Sorter, keys: Uint16Array): Promise<number> {
  const counted = await sorter.unique(keys, { counts: true, descending: true });
  const distinct: Uint16Array = counted.keys;
  return distinct.length + counted.counts.length;
}

// @ts-expect-error: without counts there are none
export const uncounted = async (sorter: Sorter) => (await sorter.unique(new Float64Array(2))).counts.length;

export async function maybeCounted(sorter: Sorter, counts: boolean): Promise<number | undefined> {
  return (await sorter.unique(new BigInt64Array(2), { counts })).counts?.length;
}

/** The flags of a buffer, where the types have no GPUBufferUsage. */
export function bufferFor(device: GPUDevice, sorter: Sorter): GPUBuffer {
  const { bytes, usage } = sorter.requirements({ type: "u32", capacity: 100 }).keys;
  return device.createBuffer({ size: bytes, usage });
}

// @ts-expect-error: a misspelt option
export const wrong = (sorter: Sorter) => sorter.sort(new Float32Array(2), { reverse: true });

// @ts-expect-error: not a device
export const none = () => createSorter(5);
