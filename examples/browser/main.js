/** A web page that sorts a million floats by gpusort and by JavaScript, and compares results and times. */
import { createSorter } from "gpusort/core";

const log = document.querySelector("#log");
log.textContent = "";
const show = (line) => {
  log.textContent += `${line}\n`;
};

const adapter = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
const sorter = await createSorter(adapter ? await openDevice(adapter) : "cpu");
const where = adapter ? "GPU" : "no WebGPU here, so gpusort on the CPU";

/** The default limits allow 128 MiB of keys; ask for more where the adapter has more. */
function openDevice({ limits, features }) {
  const { maxBufferSize, maxStorageBufferBindingSize } = limits;
  const requiredFeatures = ["subgroups"].filter((feature) => features.has(feature));
  return adapter.requestDevice({
    requiredFeatures,
    requiredLimits: { maxBufferSize, maxStorageBufferBindingSize },
  });
}

const keys = Float32Array.from({ length: 1_000_000 }, () => Math.random() - 0.5);
await sorter.sort(keys); // the first call compiles the kernels

let begin = performance.now();
const sorted = await sorter.sort(keys);
const ms = performance.now() - begin;

begin = performance.now();
const expected = keys.slice().sort();
const expectedMs = performance.now() - begin;

show(`${keys.length} floats, from array to array`);
show(`${where}: ${ms.toFixed(1)} ms, checked`);
show(`CPU: ${expectedMs.toFixed(1)} ms, Float32Array.prototype.sort`);
show(expected.every((key, i) => Object.is(key, sorted[i])) ? "Both are the same." : "They differ!");
sorter.destroy();
