/** A web page that sorts a million floats by gpusort and by JavaScript, and compares results and times. */
import { createSorter, deviceDescriptor } from "gpusort/core";

const log = document.querySelector("#log");
log.textContent = "";
const show = (line) => {
  log.textContent += `${line}\n`;
};

const adapter = await navigator.gpu?.requestAdapter({ powerPreference: "high-performance" });
const device = adapter && (await adapter.requestDevice(deviceDescriptor(adapter)));
const sorter = await createSorter(device ?? "cpu");
const where = adapter ? "GPU" : "no WebGPU here, so gpusort on the CPU";

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
