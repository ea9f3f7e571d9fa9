import { readParams as readCoreParams } from "../../core/shaders/kernels.js";
import { type Contracts as DemoContracts, readParams } from "../../demo_kernels/kernels.js";
import { bitonicLocal } from "./bitonic_local.js";
import { asFloats, type CpuKernel, constant, type Dispatch } from "./cpu_kernel.js";
import { particlesEmit, particlesGrid, particlesStep } from "./particles.js";
import { threadIds } from "./thread_ids.js";
import { transposeBlocks, transposeKeys, transposeNaive } from "./transpose.js";
import { wavesDisturb, wavesEnergy, wavesFrame, wavesIndexed, wavesSampled } from "./waves.js";

/** Floats per `Data` struct: v1 at 0, v2 at 4, and padding at 3, 6 and 7. */
const STRIDE = 8;
const MEMBERS = [0, 1, 2, 4, 5];

/** The CPU version of wgsl/demos/vecadd.wgsl. */
function vecadd({ bindings, params }: Dispatch): void {
  const [a, b, output] = bindings.map(asFloats) as [Float32Array, Float32Array, Float32Array];
  const { count } = readParams("vecadd", params);
  for (let i = 0; i < count; i++) {
    for (const member of MEMBERS) {
      output[i * STRIDE + member] = a[i * STRIDE + member]! + b[i * STRIDE + member]!;
    }
  }
}

/**
 * The CPU version of wgsl/demos/neighbours.wgsl. It always computes the result that the barrier guarantees.
 */
function neighbours(dispatch: Dispatch): void {
  const [input, output] = dispatch.bindings as [Uint32Array, Uint32Array];
  const size = constant(dispatch, "WORKGROUP_SIZE");
  const { count } = readParams("neighbours", dispatch.params);
  for (let i = 0; i < count; i++) {
    const first = i - (i % size);
    output[i] = input[first + ((i + size - 1) % size)]! + input[first + ((i + 1) % size)]!;
  }
}

/** The CPU version of wgsl/demos/occupancy.wgsl. */
function occupancy(dispatch: Dispatch): void {
  const [table, output] = dispatch.bindings as [Uint32Array, Uint32Array];
  const { words, steps } = readParams("occupancy", dispatch.params);
  const size = constant(dispatch, "WORKGROUP_SIZE");
  const walk = (at: number) => {
    let place = Math.imul(at, 0x9e3779b1) & (words - 1);
    for (let step = 0; step < steps; step++) place = (table[place]! + step) & (words - 1);
    return place;
  };
  for (let first = 0; first < output.length; first += size) {
    const places = Array.from({ length: size }, (_, i) => walk(first + i));
    for (let i = 0; i < size && first + i < output.length; i++) {
      output[first + i] = places[i]! ^ places[(i + 1) % size]!;
    }
  }
}

/** The CPU version of wgsl/demos/fill_white.wgsl. Only the texels that the grid covers become white. */
function fillWhite(dispatch: Dispatch): void {
  const [output] = dispatch.bindings as [Uint32Array];
  const { width, height } = dispatch.extents[0]!;
  const right = Math.min(width, dispatch.grid[0] * constant(dispatch, "WIDTH"));
  const bottom = Math.min(height, dispatch.grid[1] * constant(dispatch, "HEIGHT"));
  for (let y = 0; y < bottom; y++) output.fill(0xffffffff, y * width, y * width + right);
}

/**
 * The CPU version of wgsl/demos/texture_add.wgsl. A sum of two channels is clamped to 255, as the texture
 * does.
 */
function textureAdd({ bindings }: Dispatch): void {
  const [a, b, output] = bindings.map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  ) as [Uint8Array, Uint8Array, Uint8Array];
  for (let i = 0; i < output.length; i++) output[i] = Math.min(255, a[i]! + b[i]!);
}

/** The CPU version of wgsl/demos/blur.wgsl. */
function blur(dispatch: Dispatch): void {
  const [input, output] = dispatch.bindings.map(
    ({ buffer, byteOffset, byteLength }) => new Uint8Array(buffer, byteOffset, byteLength),
  ) as [Uint8Array, Uint8Array];
  const { width, height } = dispatch.extents[0]!;
  const vertical = constant(dispatch, "VERTICAL") === 1;
  const { radius, weights } = readParams("blur", dispatch.params);
  const [length, lines] = vertical ? [height, width] : [width, height];
  const texel = (along: number, line: number) => (vertical ? along * width + line : line * width + along);
  for (let line = 0; line < lines; line++) {
    for (let i = 0; i < length; i++) {
      for (let channel = 0; channel < 4; channel++) {
        let sum = 0;
        for (let k = -radius; k <= radius; k++) {
          const along = Math.min(length - 1, Math.max(0, i + k));
          sum += weights[k + radius]! * input[4 * texel(along, line) + channel]!;
        }
        output[4 * texel(i, line) + channel] = Math.min(255, Math.round(sum));
      }
    }
  }
}

/** The CPU version of wgsl/device_copy.wgsl. */
function deviceCopy(dispatch: Dispatch): void {
  const [source, target] = dispatch.bindings as [Uint32Array, Uint32Array];
  const { vectors, workgroups } = readCoreParams("device_copy", dispatch.params);
  const most = workgroups * constant(dispatch, "WORKGROUP_SIZE") * constant(dispatch, "VECTORS");
  target.set(source.subarray(0, 4 * Math.min(vectors, most)));
}

/** The kernels of wgsl/demos, and those of wgsl/ that a demo shows besides. */
export const demoCpuKernels: Readonly<
  Record<keyof DemoContracts | "bitonic_local" | "device_copy" | "transpose" | "transpose_blocks", CpuKernel>
> = {
  bitonic_local: bitonicLocal,
  blur,
  device_copy: deviceCopy,
  fill_white: fillWhite,
  neighbours,
  occupancy,
  particles_emit: particlesEmit,
  particles_grid: particlesGrid,
  particles_step: particlesStep,
  texture_add: textureAdd,
  thread_ids: threadIds,
  transpose: transposeKeys,
  transpose_blocks: transposeBlocks,
  transpose_naive: transposeNaive,
  vecadd,
  waves_disturb: wavesDisturb,
  waves_energy: wavesEnergy,
  waves_frame: wavesFrame,
  waves_indexed: wavesIndexed,
  waves_sampled: wavesSampled,
};
