import { type Pass, type Plan, textureWords } from "../plan/plan.js";
import type { KernelName } from "../wgsl.generated.js";
import { bitonicLocal } from "./bitonic_local.js";
import { blur } from "./blur.js";
import { copy } from "./copy.js";
import { fillWhite } from "./fill_white.js";
import { inspect } from "./inspect.js";
import { neighbours } from "./neighbours.js";
import { occupancy } from "./occupancy.js";
import { particlesEmit, particlesGrid, particlesStep } from "./particles.js";
import { radixCount, radixScan, radixScatter } from "./radix.js";
import { textureAdd } from "./texture_add.js";
import { threadIds } from "./thread_ids.js";
import { transpose, transposeBlocks } from "./transpose.js";
import type { Twin } from "./twin.js";
import { vecadd } from "./vecadd.js";
import { wavesDisturb, wavesEnergy, wavesFrame, wavesIndexed, wavesSampled } from "./waves.js";

const twins: Record<KernelName, Twin> = {
  bitonic_local: bitonicLocal,
  blur,
  copy,
  fill_white: fillWhite,
  inspect,
  neighbours,
  occupancy,
  particles_emit: particlesEmit,
  particles_grid: particlesGrid,
  particles_step: particlesStep,
  radix_count: radixCount,
  radix_scan: radixScan,
  radix_scatter: radixScatter,
  radix_serial_count: radixCount,
  radix_serial_scan: radixScan,
  radix_serial_scatter: radixScatter,
  texture_add: textureAdd,
  thread_ids: threadIds,
  transpose,
  transpose_blocks: transposeBlocks,
  transpose_naive: transpose,
  vecadd,
  waves_disturb: wavesDisturb,
  waves_energy: wavesEnergy,
  waves_frame: wavesFrame,
  waves_indexed: wavesIndexed,
  waves_sampled: wavesSampled,
};

/**
 * Runs a plan on the CPU, kernel by kernel with their twins.
 *
 * @param inputs initial contents by buffer or texture, as words; what is not named starts as zeros. Not modified.
 * @returns every buffer and texture of the plan as it is after the last pass.
 * @throws RangeError if an input is longer than its buffer.
 */
export function runOnTwins(
  plan: Plan,
  inputs: Readonly<Record<string, Uint32Array>>,
): Record<string, Uint32Array<ArrayBuffer>> {
  const words: Record<string, Uint32Array<ArrayBuffer>> = {};
  const start = (name: string, length: number) => {
    words[name] = new Uint32Array(length);
    words[name].set(inputs[name] ?? []);
  };
  for (const [name, { bytes }] of Object.entries(plan.buffers)) start(name, bytes / 4);
  for (const [name, texture] of Object.entries(plan.textures ?? {})) start(name, textureWords(texture));
  for (const pass of plan.passes) runPass(plan, pass, words);
  return words;
}

function runPass(
  { textures = {} }: Plan,
  { program, bindings, params, grid, indirect }: Pass,
  words: Readonly<Record<string, Uint32Array>>,
): void {
  const [x, y, z] = words[indirect ?? ""] ?? grid;
  twins[program.kernel]({
    bindings: bindings.map((name) => words[name] ?? new Uint32Array()),
    extents: bindings.map((name) => textures[name]),
    params,
    constants: program.constants,
    grid: [x!, y!, z!],
    keyWords: program.uses.includes("key64") ? 2 : 1,
  });
}
