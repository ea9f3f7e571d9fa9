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

// @ts-expect-error: a misspelt option
export const wrong = (sorter: Sorter) => sorter.sort(new Float32Array(2), { reverse: true });

// @ts-expect-error: not a device
export const none = () => createSorter(5);
