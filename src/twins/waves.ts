import { asFloats, constant, type Dispatch } from "./twin.js";

const { fround } = Math;

function floatsOf(params: readonly number[]): Float32Array {
  return new Float32Array(new Uint32Array(params).buffer);
}

/** The twin of wgsl/waves_indexed.wgsl. */
export function wavesIndexed({ bindings, extents, params }: Dispatch): void {
  const [previous, current, next] = bindings.map(asFloats) as [Float32Array, Float32Array, Float32Array];
  const { width, height } = extents[0]!;
  const [kPrevious, kCurrent, kNeighbours] = floatsOf(params) as unknown as [number, number, number];
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

/** The twin of wgsl/waves_sampled.wgsl: the nearest texel to a texel's middle is that texel. */
export function wavesSampled({ bindings, extents, ...dispatch }: Dispatch): void {
  const [previous, current, , next] = bindings as [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
  wavesIndexed({ ...dispatch, bindings: [previous, current, next], extents: [extents[0]] });
}

/** The twin of wgsl/waves_disturb.wgsl. */
export function wavesDisturb({ bindings, extents, params }: Dispatch): void {
  const heights = asFloats(bindings[0]!);
  const { width } = extents[0]!;
  const [x, y] = params as [number, number];
  const magnitude = floatsOf(params)[2]!;
  const at = y * width + x;
  heights[at]! += magnitude;
  for (const neighbour of [at + 1, at - 1, at + width, at - width]) heights[neighbour]! += 0.5 * magnitude;
}

/** The twin of wgsl/waves_frame.wgsl. */
export function wavesFrame({ bindings, extents, params }: Dispatch): void {
  const heights = asFloats(bindings[0]!);
  const [firstWord, words] = params as [number, number];
  const stepsAUnit = floatsOf(params)[2]!;
  const cells = extents[0]!.width * extents[0]!.height;
  for (let at = 0; at < words; at++) {
    let word = 0;
    for (let k = 0; k < 4; k++) {
      const height = heights[Math.min(4 * at + k, cells - 1)]!;
      const shade = Math.min(255, Math.max(0, 128 + Math.round(height * stepsAUnit)));
      word |= shade << (8 * k);
    }
    bindings[1]![firstWord + at] = word;
  }
}

/** The twin of wgsl/waves_energy.wgsl. */
export function wavesEnergy(dispatch: Dispatch): void {
  const [previous, current, energies] = dispatch.bindings.map(asFloats) as [
    Float32Array,
    Float32Array,
    Float32Array,
  ];
  const { width, height } = dispatch.extents[0]!;
  const invocations = constant(dispatch, "WORKGROUP_SIZE");
  const [, motion, slope] = floatsOf(dispatch.params) as unknown as [number, number, number];
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
  energies[dispatch.params[0]!] = sums.reduce((total, sum) => fround(total + sum), 0);
}
