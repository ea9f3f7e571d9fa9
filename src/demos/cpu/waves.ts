import { readParams } from "../../demo_kernels/kernels.js";
import { asFloats, constant, type Dispatch } from "./cpu_kernel.js";

const { fround } = Math;

/** The CPU version of wgsl/demos/waves_indexed.wgsl. */
export function wavesIndexed({ bindings, extents, params }: Dispatch): void {
  const [previous, current, next] = bindings.map(asFloats) as [Float32Array, Float32Array, Float32Array];
  const { width, height } = extents[0]!;
  const { kPrevious, kCurrent, kNeighbours } = readParams("waves_indexed", params);
  next.fill(0);
  for (let y = 1; y < height - 1; y++) {
    for (let x = 1; x < width - 1; x++) {
      const at = y * width + x;
      const below = current[at + width]!;
      const neighbours = fround(
        fround(fround(below + current[at - width]!) + current[at + 1]!) + current[at - 1]!,
      );
      const own = fround(fround(kPrevious * previous[at]!) + fround(kCurrent * current[at]!));
      next[at] = own + fround(kNeighbours * neighbours);
    }
  }
}

/**
 * The CPU version of wgsl/demos/waves_sampled.wgsl. Sampling at the middle of a texel yields that texel, so
 * this is the same as the indexed kernel.
 */
export function wavesSampled({ bindings, extents, ...dispatch }: Dispatch): void {
  const [previous, current, , next] = bindings as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  wavesIndexed({ ...dispatch, bindings: [previous, current, next], extents: [extents[0]] });
}

/** The CPU version of wgsl/demos/waves_disturb.wgsl. */
export function wavesDisturb({ bindings, extents, params }: Dispatch): void {
  const heights = asFloats(bindings[0]!);
  const { width } = extents[0]!;
  const { x, y, magnitude } = readParams("waves_disturb", params);
  const at = y * width + x;
  heights[at]! += magnitude;
  for (const neighbour of [at + 1, at - 1, at + width, at - width]) heights[neighbour]! += 0.5 * magnitude;
}

/** The CPU version of wgsl/demos/waves_frame.wgsl. */
export function wavesFrame({ bindings, extents, params }: Dispatch): void {
  const heights = asFloats(bindings[0]!);
  const { firstWord, words, stepsPerUnit } = readParams("waves_frame", params);
  const cells = extents[0]!.width * extents[0]!.height;
  for (let at = 0; at < words; at++) {
    let word = 0;
    for (let k = 0; k < 4; k++) {
      const height = heights[Math.min(4 * at + k, cells - 1)]!;
      const shade = Math.min(255, Math.max(0, 128 + Math.round(height * stepsPerUnit)));
      word |= shade << (8 * k);
    }
    bindings[1]![firstWord + at] = word;
  }
}

/** The CPU version of wgsl/demos/waves_energy.wgsl. */
export function wavesEnergy(dispatch: Dispatch): void {
  const [previous, current, energies] = dispatch.bindings.map(asFloats) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const { width, height } = dispatch.extents[0]!;
  const invocations = constant(dispatch, "WORKGROUP_SIZE");
  const { place, motion, slope } = readParams("waves_energy", dispatch.params);
  const sums = new Float32Array(invocations);
  for (let y = 0; y < height - 1; y++) {
    let row = 0;
    for (let x = 0; x < width - 1; x++) {
      const at = y * width + x;
      const slopes = (step: Float32Array) =>
        [step[at + 1]! - step[at]!, step[at + width]! - step[at]!] as const;
      const [right, below] = slopes(current);
      const [rightBefore, belowBefore] = slopes(previous);
      const moved = current[at]! - previous[at]!;
      row = fround(row + motion * moved * moved + slope * (right * rightBefore + below * belowBefore));
    }
    sums[y % invocations]! += row;
  }
  energies[place] = sums.reduce((total, sum) => fround(total + sum), 0);
}
