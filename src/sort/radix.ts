import type { ElementType } from "../elements.js";
import { workgroupSize1d } from "../plan/grid.js";
import { bufferBytes, type Pass, type Plan, type Program } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import type { ModuleName } from "../wgsl.generated.js";
import { type Direction, orderConstants, orderModules, requireKeyCount } from "./key.js";
import { DIGIT_BITS, DIGITS, type RadixTuning, radixTuning } from "./radix_tuning.js";

/**
 * Radix sort from the least significant digit, 8 bits at a time: stable, for any number of keys, from the buffer
 * "keys" to the buffer "keys".
 *
 * Each digit takes three dispatches, reduce-then-scan rather than a chained scan, so that no workgroup ever waits
 * for another and no forward progress has to be promised (after Merrill and Grimshaw, "Revisiting sorting for GPGPU
 * stream architectures", 2010): the keys are shared out in contiguous chunks, a column of counts each;
 * 1. count: how many keys of each digit a chunk has;
 * 2. scan: along each digit's row of counts, where the chunk's keys of that digit start among all of them;
 * 3. scatter: each chunk's keys to their places, in order.
 *
 * There are two families of kernels. On hardware with subgroups a chunk is a workgroup's, which walks it in tiles,
 * ranks each tile's keys by ballots and exchanges them through workgroup memory, so that it writes in runs; the next
 * tile is loaded meanwhile. Anywhere else a chunk is an invocation's, which walks it key by key with counters of its
 * own and waits for nobody: on a software adapter 4 to 10 times as fast as anything cooperative.
 *
 * The first pass takes the keys' bits to their images (wgsl/shared/order32.wgsl), the last takes them back.
 *
 * **Cost.** 3 passes a byte of key: each reads the keys twice and writes them once. 12 passes and 48 bytes moved a
 * u32 key, 24 and 192 a u64 key. Scratch: the keys once more, and 1 KiB a column.
 *
 * @throws RangeError if keyCount is negative, fractional or past MAX_KEYS.
 */
export function radixPlan(
  keyCount: number,
  type: ElementType,
  direction: Direction,
  traits: DeviceTraits,
  tuning: RadixTuning = radixTuning(keyCount, type, traits),
): Plan {
  requireKeyCount(keyCount);
  const { columns, chunk } = shareOut(keyCount, tuning);
  const workgroups = tuning.family === "serial" ? Math.ceil(columns / tuning.workgroupSize) : columns;
  const digits = (type.bytes * 8) / DIGIT_BITS;
  // An image is the key itself where bits are in order already, and one kernel then does for all passes.
  const plain = type.order === "unsigned" && !direction.descending;
  const passes: Pass[] = [];
  let [source, target] = ["keys", "scratch"];

  for (let digit = 0; keyCount > 1 && digit < digits; digit++) {
    const ends = {
      RAW_INPUT: !plain && digit === 0 ? 1 : 0,
      RAW_OUTPUT: !plain && digit === digits - 1 ? 1 : 0,
    };
    const [count, scatter] = programs(type, direction, tuning, ends);
    const params = [keyCount, digit * DIGIT_BITS, chunk, columns];
    const grid = [workgroups, 1, 1] as const;
    passes.push(
      { program: count, bindings: [source, "counts"], params, grid },
      scanPass(tuning, columns, traits),
      { program: scatter, bindings: [source, target, "counts", "totals"], params, grid },
    );
    [source, target] = [target, source];
  }
  const bytes = bufferBytes(keyCount * type.bytes);
  const buffers = {
    keys: { bytes },
    scratch: { bytes },
    counts: { bytes: bufferBytes(DIGITS * columns * 4) },
    totals: { bytes: DIGITS * 4 },
  };
  return { buffers: passes.length > 0 ? buffers : { keys: buffers.keys }, passes, result: source };
}

/** The kernels that count and scatter, with the constants that they need. */
function programs(
  type: ElementType,
  direction: Direction,
  tuning: RadixTuning,
  ends: { RAW_INPUT: number; RAW_OUTPUT: number },
): [count: Program, scatter: Program] {
  const uses: ModuleName[] = [...orderModules(type), "digit", "radix"];
  const shared = { WORKGROUP_SIZE: tuning.workgroupSize, DIGIT_BITS, ...orderConstants(type, direction) };
  const counting = { ...shared, ...ends, RAW_OUTPUT: 0 };
  if (tuning.family === "serial") {
    return [
      { kernel: "radix_serial_count", uses, constants: counting },
      { kernel: "radix_serial_scatter", uses, constants: { ...shared, ...ends } },
    ];
  }
  const ranking = {
    SUBGROUP_SIZE: tuning.subgroupSize,
    SUBGROUPS: tuning.workgroupSize / tuning.subgroupSize,
    TILE_KEYS: tuning.tileKeys,
    LOCKSTEP: tuning.lockstep ? 1 : 0,
  };
  return [
    { kernel: "radix_count", uses, constants: counting },
    { kernel: "radix_scatter", uses, constants: { ...shared, ...ends, ...ranking }, enables: ["subgroups"] },
  ];
}

/** The pass between: a workgroup a digit, or an invocation a digit. */
function scanPass(tuning: RadixTuning, columns: number, traits: DeviceTraits): Pass {
  const bindings = ["counts", "totals"];
  const params = [columns];
  if (tuning.family === "serial") {
    const constants = { WORKGROUP_SIZE: tuning.workgroupSize, DIGIT_BITS };
    const grid = [Math.ceil(DIGITS / tuning.workgroupSize), 1, 1] as const;
    return { program: { kernel: "radix_serial_scan", uses: [], constants }, bindings, params, grid };
  }
  const constants = { WORKGROUP_SIZE: workgroupSize1d(256, traits.limits) };
  return { program: { kernel: "radix_scan", uses: [], constants }, bindings, params, grid: [DIGITS, 1, 1] };
}

/** Equal chunks of whole tiles (or keys, where there are no tiles), as many as the tuning wants and the keys fill. */
function shareOut(keyCount: number, tuning: RadixTuning): { columns: number; chunk: number } {
  const unit = tuning.family === "serial" ? 1 : tuning.workgroupSize * tuning.tileKeys;
  const least = tuning.family === "serial" ? tuning.leastKeys : unit;
  const wanted = Math.max(1, Math.min(tuning.columns, Math.ceil(keyCount / least)));
  const chunk = Math.max(1, Math.ceil(keyCount / wanted / unit)) * unit;
  return { columns: Math.max(1, Math.ceil(keyCount / chunk)), chunk };
}
