/**
 * node examples/every-frame.js: keys that stay on the GPU. Each frame of a simulation moves a million particles
 * and sorts them by depth, in one submission. Nothing is copied to the CPU until the end, and then only to check
 * the order.
 */
import { openDevice } from "gpusort";
import { createSorter } from "gpusort/core";
import { globals } from "webgpu"; // a browser has these itself

const { STORAGE, COPY_SRC, COPY_DST, MAP_READ } = globals.GPUBufferUsage;
const count = 1_000_000;
const frames = 10;

const opened = await openDevice("auto");
if (!opened) {
  console.log("this machine has no adapter");
  process.exit();
}
const { device } = opened.gpu;

const buffer = (size, usage) => device.createBuffer({ size, usage });
const depths = buffer(4 * count, STORAGE | COPY_SRC);
const module = device.createShaderModule({
  code: `
    @group(0) @binding(0) var<storage, read_write> depths: array<f32>;
    @compute @workgroup_size(64) fn advance(@builtin(global_invocation_id) id: vec3u) {
      if (id.x >= ${count}u) { return; }
      depths[id.x] = fract(depths[id.x] + f32((id.x * 2654435761u) >> 8u) / 16777216.0);
    }`,
});
const advance = await device.createComputePipelineAsync({ layout: "auto", compute: { module } });
const entries = [{ binding: 0, resource: { buffer: depths } }];
const bindGroup = device.createBindGroup({ layout: advance.getBindGroupLayout(0), entries });

// Once: compiles kernels and allocates scratch. "keep" leaves `depths` as they are; the sorted keys are in
// byDepth.keys.
const sorter = await createSorter(device);
const byDepth = await sorter.prepare({ type: "f32", capacity: count, keys: depths, input: "keep" });

for (let frame = 0; frame < frames; frame++) {
  const encoder = device.createCommandEncoder();
  const pass = encoder.beginComputePass();
  pass.setPipeline(advance);
  pass.setBindGroup(0, bindGroup);
  pass.dispatchWorkgroups(Math.ceil(count / 64));
  byDepth.encode(pass);
  pass.end();
  device.queue.submit([encoder.finish()]);
}

const readback = buffer(4 * count, COPY_DST | MAP_READ);
const encoder = device.createCommandEncoder();
encoder.copyBufferToBuffer(byDepth.keys.buffer, byDepth.keys.offset, readback, 0, 4 * count);
device.queue.submit([encoder.finish()]);
await readback.mapAsync(globals.GPUMapMode.READ);
const sorted = new Float32Array(readback.getMappedRange());
const inOrder = sorted.every((depth, i) => i === 0 || sorted[i - 1] <= depth);
console.log(`${frames} frames of ${count} particles, the last one in order: ${inOrder}`);

sorter.destroy();
device.destroy();
process.exit(); // Dawn may wait for its threads otherwise
