// A web page that sorts on a GPU alone. test/package/package.test.ts opens it with an entry of gpusort-core in
// place of gpusort/core/gpu. With "?default", it requests a device as those do that know nothing of gpusort.
import { createSorter, deviceDescriptor } from "gpusort/core/gpu";

const keys = Float32Array.from({ length: 3001 }, (_, i) => ((i * 7919) % 3001) - 1500);
const sameAs = (expected) => (sorted) =>
  sorted.length === expected.length && sorted.every((key, i) => Object.is(key, expected[i]));
const isSorted = sameAs(keys.slice().sort());
const isRejected = ({ name, message, hint }) => `${name}: ${message}; ${hint}`;

async function sortAll() {
  const adapter = await navigator.gpu?.requestAdapter();
  if (!adapter) return { missing: "it has no adapter" };
  const isDefault = location.search === "?default";
  const device = await adapter.requestDevice(isDefault ? {} : deviceDescriptor(adapter));
  const sorter = await createSorter(device);
  const order = await sorter.argsort(keys, { descending: true });
  return {
    subgroups: device.features.has("subgroups"),
    arrays: isSorted(await sorter.sort(keys)),
    wide: sameAs([1n, 2n, 3n])(await sorter.sort(BigUint64Array.of(3n, 1n, 2n))),
    indices: isSorted(Float32Array.from(order, (index) => keys[index]).reverse()),
    segments: await sorter.sort(keys, { segments: Uint32Array.of(0, 1, 3001) }).then(isSorted, isRejected),
    top: await sorter.warm({ type: "f32", capacity: 3001, top: 10 }).then(() => true, isRejected),
    cpu: await createSorter("cpu").catch(({ name }) => name),
  };
}

sortAll()
  .catch((error) => ({ failed: String(error?.stack ?? error) }))
  .then((result) => {
    globalThis.result = result;
  });
