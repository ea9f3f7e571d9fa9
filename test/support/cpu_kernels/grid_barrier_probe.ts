import { readParams } from "../../../src/core/shaders/kernels.js";
import { constant, type Dispatch, workgroupCount } from "../../../src/demos/cpu/cpu_kernel.js";

const FACTOR = 0x9e37_79b1n;

/**
 * The CPU version of wgsl/msd/fallback/grid_barrier_probe.wgsl: all workgroups participate, and none waits in
 * vain.
 */
export function gridBarrierProbe(dispatch: Dispatch): void {
  const [words, state] = dispatch.bindings as [Uint32Array, Uint32Array];
  const { rounds } = readParams("grid_barrier_probe", dispatch.params);
  const half = constant(dispatch, "WORDS");
  const workgroups = workgroupCount(dispatch.grid);
  for (let round = 0; round < rounds; round++) {
    const [from, to] = round % 2 === 0 ? [0, half] : [half, 0];
    for (let i = 0; i < half; i++) {
      const place = BigInt.asUintN(32, BigInt(i) * FACTOR + BigInt(round)) % BigInt(half);
      words[to + Number(place)] = Number(BigInt.asUintN(32, BigInt(words[from + i]! + i + round) * FACTOR));
    }
  }
  state.set([0, workgroups, workgroups, rounds * workgroups]);
}
