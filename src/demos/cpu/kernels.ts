import { bytesOf } from "../../core/bytes.js";
import { readParams as readCoreParams } from "../../core/shaders/kernels.js";
import { type Contracts as DemoContracts, readParams } from "../../demo_kernels/kernels.js";
import { asFloats, type CpuKernel, constant, type Dispatch, workgroupCount } from "./cpu_kernel.js";
import { type Bits, type KeyOps, keyOps } from "./order.js";
import { particlesEmit, particlesGrid, particlesStep } from "./particles.js";
import { wavesDisturb, wavesEnergy, wavesFrame, wavesIndexed, wavesSampled } from "./waves.js";

/** The CPU version of wgsl/bitonic/bitonic_local.wgsl. */
function bitonicLocal(dispatch: Dispatch): void {
  const ops = keyOps(dispatch.keyBits, dispatch.constants);
  const [keys] = dispatch.bindings as [Uint32Array];
  const params = readCoreParams("bitonic_local", dispatch.params);
  const tileBits = constant(dispatch, "TILE_BITS");
  const tiles = Math.min(workgroupCount(dispatch.grid), params.tiles);
  for (let number = 0; number < tiles; number++) sortTile(params, tileBits, ops, keys, number);
}

function sortTile(
  params: ReturnType<typeof readCoreParams<"bitonic_local">>,
  tileBits: number,
  ops: KeyOps,
  keys: Uint32Array,
  number: number,
): void {
  const { keyCount, shift, windowEnd, rows, columns, columnBits, tilesPerRow, firstLevel, lastLevel } =
    params;
  const size = 2 ** tileBits;
  const firstRow = Math.floor(number / tilesPerRow) * 2 ** (tileBits - columnBits);
  const firstColumn = (number % tilesPerRow) * 2 ** columnBits;
  const rowOf = (slot: number) => firstRow + (slot >> columnBits);
  const columnOf = (slot: number) => firstColumn + (slot & (2 ** columnBits - 1));
  const slots = Array.from({ length: size }, (_, slot) => slot).filter(
    (slot) => rowOf(slot) < rows && columnOf(slot) < columns,
  );

  const tile: Bits[] = [];
  for (const slot of slots)
    tile[slot] = ops.toOrdered(ops.read(keys, rowOf(slot) * columns + columnOf(slot)));

  for (let level = firstLevel; level <= lastLevel; level++) {
    for (let bit = Math.min(level, windowEnd); bit > shift; bit--) {
      const stride = 2 ** (bit - 1 - shift);
      for (const low of slots) {
        const index = columnOf(low) * 2 ** shift + rowOf(low);
        if ((low & stride) !== 0 || index + 2 ** (bit - 1) >= keyCount) continue;
        const high = low + stride;
        const descending = (((index ^ (keyCount - 1)) >>> level) & 1) === 1;
        if (tile[high]! < tile[low]! !== descending) [tile[low], tile[high]] = [tile[high]!, tile[low]!];
      }
    }
  }

  for (const slot of slots)
    ops.write(keys, rowOf(slot) * columns + columnOf(slot), ops.fromOrdered(tile[slot]!));
}

/**
 * Words per `Ids` struct: three vec3u, each aligned to four words. The index lies in the gap after the first.
 */
const IDS_WORDS = 12;

/** The CPU version of wgsl/demos/thread_ids.wgsl, with the formulas of the D3D12 chapter. */
function threadIds(dispatch: Dispatch): void {
  const [ids] = dispatch.bindings as [Uint32Array];
  const [groupsX, groupsY, groupsZ] = dispatch.grid;
  const sizeX = constant(dispatch, "WIDTH");
  const sizeY = constant(dispatch, "HEIGHT");
  const sizeZ = constant(dispatch, "DEPTH");
  let at = 0;
  const groups = inOrder(groupsX, groupsY, groupsZ);
  const threads = inOrder(sizeX, sizeY, sizeZ);
  for (const group of groups) {
    for (const thread of threads) {
      const dispatchThread = [
        group[0] * sizeX + thread[0],
        group[1] * sizeY + thread[1],
        group[2] * sizeZ + thread[2],
      ];
      const groupIndex = thread[2] * sizeX * sizeY + thread[1] * sizeX + thread[0];
      ids.set([...group, groupIndex, ...thread, 0, ...dispatchThread, 0], at * IDS_WORDS);
      at++;
    }
  }
}

/** All positions in a box; x varies fastest, z slowest. */
function inOrder(width: number, height: number, depth: number): [number, number, number][] {
  const places: [number, number, number][] = [];
  for (let z = 0; z < depth; z++) {
    for (let y = 0; y < height; y++) for (let x = 0; x < width; x++) places.push([x, y, z]);
  }
  return places;
}

/** The CPU version of wgsl/bitonic/transpose.wgsl. */
function transposeKeys(dispatch: Dispatch): void {
  const { rows, columns } = readCoreParams("transpose", dispatch.params);
  transposeWords(dispatch, rows, columns, dispatch.keyBits / 32);
}

/** The CPU version of wgsl/demos/transpose_naive.wgsl. */
function transposeNaive(dispatch: Dispatch): void {
  const { rows, columns } = readParams("transpose_naive", dispatch.params);
  transposeWords(dispatch, rows, columns, 1);
}

function transposeWords({ bindings }: Dispatch, rows: number, columns: number, words: number): void {
  const [input, output] = bindings as [Uint32Array, Uint32Array];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      for (let word = 0; word < words; word++) {
        output[(column * rows + row) * words + word] = input[(row * columns + column) * words + word]!;
      }
    }
  }
}

/** The CPU version of wgsl/bitonic/transpose_blocks.wgsl. */
function transposeBlocks(dispatch: Dispatch): void {
  const { rowQuads, columnQuads } = readCoreParams("transpose_blocks", dispatch.params);
  transposeWords(dispatch, 4 * rowQuads, 4 * columnQuads, 1);
}

/** Floats per `Data` struct: v1 at 0, v2 at 4, and padding at 3, 6 and 7. */
const DATA_FLOATS = 8;
const MEMBERS = [0, 1, 2, 4, 5];

/** The CPU version of wgsl/demos/vecadd.wgsl. */
function vecadd({ bindings, params }: Dispatch): void {
  const [a, b, output] = bindings.map(asFloats) as [Float32Array, Float32Array, Float32Array];
  const { count } = readParams("vecadd", params);
  for (let i = 0; i < count; i++) {
    for (const member of MEMBERS) {
      output[i * DATA_FLOATS + member] = a[i * DATA_FLOATS + member]! + b[i * DATA_FLOATS + member]!;
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
  const [a, b, output] = bindings.map(bytesOf) as [Uint8Array, Uint8Array, Uint8Array];
  for (let i = 0; i < output.length; i++) output[i] = Math.min(255, a[i]! + b[i]!);
}

/** The CPU version of wgsl/demos/blur.wgsl. */
function blur(dispatch: Dispatch): void {
  const [input, output] = dispatch.bindings.map(bytesOf) as [Uint8Array, Uint8Array];
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

/** The CPU version of wgsl/device/device_copy.wgsl. */
function deviceCopy(dispatch: Dispatch): void {
  const [source, target] = dispatch.bindings as [Uint32Array, Uint32Array];
  const { vectors, workgroups } = readCoreParams("device_copy", dispatch.params);
  const most = workgroups * constant(dispatch, "WORKGROUP_SIZE") * constant(dispatch, "VECTORS");
  target.set(source.subarray(0, 4 * Math.min(vectors, most)));
}

/** The kernels of wgsl/demos, and those of sorts that a demo shows besides. */
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
