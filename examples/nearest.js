/** node examples/nearest.js: the ten points of a million that are nearest to a place. */
import { createSorter } from "gpusort";

const count = 1_000_000;
const here = [0.5, 0.5];
const points = Float32Array.from({ length: 2 * count }, () => Math.random());

const distances = new Float32Array(count);
for (let i = 0; i < count; i++) {
  distances[i] = Math.hypot(points[2 * i] - here[0], points[2 * i + 1] - here[1]);
}

const sorter = await createSorter(); // a GPU of this machine, or the CPU
const order = await sorter.argsort(distances); // the points' indices, nearest first
for (const point of order.subarray(0, 10)) {
  console.log(`point ${point}: ${distances[point].toFixed(6)} away`);
}
sorter.destroy();
