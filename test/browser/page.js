// A web page that uses gpusort/core. test/browser/open_page.ts bundles it, and test/browser/core.test.ts
// calls it in a browser.
import { createSorter, elementType } from "gpusort/core";

/**
 * Bytes are passed as plain arrays, because typed arrays cannot be passed between the test and the page. Keys
 * of f16 are a Float16Array, if the browser has that.
 */
const keysOf = (type, bytes) => {
  const native = type === "f16" ? globalThis.Float16Array : undefined;
  return new (native ?? elementType(type).array)(Uint8Array.from(bytes).buffer);
};
const bytesOf = ({ buffer, byteOffset, byteLength }) => [...new Uint8Array(buffer, byteOffset, byteLength)];

/**
 * Gives up after two minutes, because a browser without a driver may never answer. Then the tests are skipped,
 * so they should not wait much longer; but a browser on a busy machine must not seem to have no adapter.
 */
async function findAdapter() {
  const timeout = new Promise((resolve) => {
    setTimeout(resolve, 120_000);
  });
  return Promise.race([navigator.gpu?.requestAdapter(), timeout]);
}

async function openPage(adapter) {
  const device = await adapter.requestDevice({
    requiredFeatures: ["subgroups"].filter((feature) => adapter.features.has(feature)),
  });
  const errors = [];
  device.onuncapturederror = ({ error }) => errors.push(error.message);
  const sorter = await createSorter(device);
  const onCpu = await createSorter("cpu");

  const download = async ({ buffer, offset, bytes }) => {
    const usage = GPUBufferUsage.MAP_READ | GPUBufferUsage.COPY_DST;
    const readback = device.createBuffer({ size: bytes, usage });
    const encoder = device.createCommandEncoder();
    encoder.copyBufferToBuffer(buffer, offset, readback, 0, bytes);
    device.queue.submit([encoder.finish()]);
    await readback.mapAsync(GPUMapMode.READ);
    return [...new Uint8Array(readback.getMappedRange())];
  };

  return {
    about: () => ({ vendor: adapter.info.vendor, architecture: adapter.info.architecture, errors }),

    sort: async (type, bytes, call) => bytesOf(await sorter.sort(keysOf(type, bytes), call)),

    sortOnCpu: async (type, bytes, call) => bytesOf(await onCpu.sort(keysOf(type, bytes), call)),

    argsortOnCpu: async (type, bytes, call) => bytesOf(await onCpu.argsort(keysOf(type, bytes), call)),

    argsort: async (type, bytes, call) => bytesOf(await sorter.argsort(keysOf(type, bytes), call)),

    sortPairs: async (type, bytes, values, call) => {
      const sorted = await sorter.sortPairs(keysOf(type, bytes), Uint32Array.from(values), call);
      return { keys: bytesOf(sorted.keys), values: [...sorted.values] };
    },

    /**
     * Sorts keys in a buffer, with their indices, once for each of `counts`. Another buffer holds the count.
     */
    sortResident: async (type, bytes, counts, call) => {
      const usage = GPUBufferUsage.STORAGE | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST;
      const keys = device.createBuffer({ size: bytes.length, usage });
      device.queue.writeBuffer(keys, 0, Uint8Array.from(bytes));
      const count = device.createBuffer({ size: 4, usage });
      const capacity = bytes.length / elementType(type).bytes;
      const sort = await sorter.prepare({ type, capacity, payload: "index", keys, count, ...call });
      const results = [];
      for (const many of counts) {
        device.queue.writeBuffer(count, 0, Uint32Array.of(many));
        const encoder = device.createCommandEncoder();
        const pass = encoder.beginComputePass();
        sort.encode(pass);
        pass.end();
        device.queue.submit([encoder.finish()]);
        results.push({ keys: await download(sort.keys), indices: await download(sort.values) });
      }
      sort.destroy();
      return results;
    },
  };
}

const missing = () => ({ missing: navigator.gpu ? "it has no adapter" : "it has no WebGPU" });
findAdapter()
  .then((adapter) => (adapter ? openPage(adapter) : missing()))
  .catch((error) => ({ failed: String(error) }))
  .then((page) => {
    globalThis.gpusortPage = page;
  });
