/** Particles in a typed buffer of TypeGPU, which gpusort sorts by their depths in another one. */
import { createSorter, deviceDescriptor } from "gpusort/core";
import tgpu, { d } from "typegpu";

const COUNT = 10_000;
const Particle = d.struct({ position: d.vec3f, id: d.u32 });

const adapter = await navigator.gpu.requestAdapter();
const root = await tgpu.init({ device: deviceDescriptor(adapter) });
const depths = root.createBuffer(d.arrayOf(d.f32, COUNT)).$usage("storage");
const particles = root.createBuffer(d.arrayOf(Particle, COUNT)).$usage("storage");

// Your shaders would write them.
const places = Array.from({ length: COUNT }, () => d.vec3f(Math.random(), Math.random(), Math.random()));
depths.write(places.map(({ z }) => z));
particles.write(places.map((position, id) => ({ position, id })));

const sorter = await createSorter(root.device);
const backToFront = await sorter.prepare({
  type: "f32",
  capacity: COUNT,
  descending: true,
  keys: root.unwrap(depths),
  payload: d.sizeOf(Particle),
  values: root.unwrap(particles),
});

const encoder = root.device.createCommandEncoder();
backToFront.encode(encoder);
root.device.queue.submit([encoder.finish()]);

const { buffer } = backToFront.values;
const sorted = root.createBuffer(d.arrayOf(Particle, COUNT), buffer).$usage("storage");
const farthest = await sorted.read();
document.body.append(`The farthest of ${COUNT} particles: ${farthest.slice(0, 5).map(({ id }) => id)}`);

// For the console, and for a test that compares bytes.
globalThis.recipe = {
  device: root.device,
  depths: places.map(({ z }) => z),
  sorted: farthest.map(({ position, id }) => [position.z, id]),
};
