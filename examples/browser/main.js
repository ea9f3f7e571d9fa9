/** A web page that sorts a million floats on the GPU and on the CPU, compares the results, and shows the times. */
import { createSorter } from "gpusort/core";

const log = document.querySelector("#log");
log.textContent = "";
const show = (line) => {
  log.textContent += `${line}\n`;
};

const adapter = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
if (!adapter) {
  show("This browser has no WebGPU adapter.");
} else {
  // The default limits allow 128 MiB of keys; ask for more where the adapter has more.
  const { maxBufferSize, maxStorageBufferBindingSize } = adapter.limits;
  const requiredFeatures = ["subgroups"].filter((feature) => adapter.features.has(feature));
  const requiredLimits = { maxBufferSize, maxStorageBufferBindingSize };
  const sorter = await createSorter(await adapter.requestDevice({ requiredFeatures, requiredLimits }));

  const keys = Float32Array.from({ length: 1_000_000 }, () => Math.random() - 0.5);
  await sorter.sort(keys); // the first call compiles the kernels

  let begin = performance.now();
  const onGpu = await sorter.sort(keys);
  const gpuMs = performance.now() - begin;

  begin = performance.now();
  const onCpu = keys.slice().sort();
  const cpuMs = performance.now() - begin;

  show(`${keys.length} floats, from array to array`);
  show(`GPU: ${gpuMs.toFixed(1)} ms, checked`);
  show(`CPU: ${cpuMs.toFixed(1)} ms, Float32Array.prototype.sort`);
  show(onCpu.every((key, i) => Object.is(key, onGpu[i])) ? "Both are the same." : "They differ!");
  sorter.destroy();
}
