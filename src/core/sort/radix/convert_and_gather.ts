import { BINDING_ALIGNMENT, type Pass } from "../../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../../plan/traits.js";
import { params, program } from "../../shaders/kernels.js";
import { keyParts } from "../key.js";
import { bindWindow, windowsOf, windowUnit } from "../windows.js";
import type { RadixJob } from "./radix_job.js";
import { maxColumns, PARAMS } from "./radix_parts.js";

/** The maximum number of workgroups of a pass: enough to keep every device busy. */
const MAX_WORKGROUPS = { hardware: 2048, software: 64 };

/** The grid of a pass over `pieces` pieces of work. An invocation processes every `stride`-th piece. */
function striding(pieces: number, traits: DeviceTraits) {
  const workgroupSize = cooperativeWorkgroupSize(256, traits);
  const maxWorkgroups = traits.software ? MAX_WORKGROUPS.software : MAX_WORKGROUPS.hardware;
  const workgroups = Math.max(1, Math.min(maxWorkgroups, Math.ceil(pieces / workgroupSize)));
  return { workgroupSize, stride: workgroups * workgroupSize, grid: [workgroups, 1, 1] as const };
}

/** Converts keys of 32 or 64 bits in place: to their ordered form, or back. */
export function convertPasses(
  { keyCount, type, options, traits }: RadixJob,
  keys: string,
  direction: "to ordered" | "back",
): Pass[] {
  const key = keyParts(type, options);
  const windows = windowsOf(keyCount, windowUnit(1), type.bytes, traits.limits.maxStorageBufferBindingSize);
  return windows.map((window) => {
    const { workgroupSize, stride, grid } = striding(window.count, traits);
    const BACK = direction === "back" ? 1 : 0;
    return {
      program: program("radix_convert", {
        variants: key.variants,
        constants: { ...key.constants, BACK, WORKGROUP_SIZE: workgroupSize },
      }),
      bindings: [bindWindow(keys, window, type.bytes, windows.length === 1)],
      params: params("radix_convert", { keyCount: window.count, stride }),
      grid,
    };
  });
}

/** Writes the index of each key to a buffer. */
export function indexPasses({ keyCount, traits }: RadixJob, indices: string): Pass[] {
  const windows = windowsOf(keyCount, windowUnit(1), 4, traits.limits.maxStorageBufferBindingSize);
  return windows.map((window) => {
    const { workgroupSize, stride, grid } = striding(window.count, traits);
    return {
      program: program("radix_indices", { constants: { WORKGROUP_SIZE: workgroupSize } }),
      bindings: [bindWindow(indices, window, 4, windows.length === 1)],
      params: params("radix_indices", { count: window.count, begin: window.begin, stride }),
      grid,
    };
  });
}

/** Converts sorted keys from their ordered form, one word per key, to packed keys of 8 or 16 bits. */
export function packPasses(
  { keyCount, type, options, traits }: Pick<RadixJob, "keyCount" | "type" | "options" | "traits">,
  ordered: string,
  keys: string,
): Pass[] {
  const key = keyParts(type, options);
  const windows = windowsOf(keyCount, windowUnit(4), 4, traits.limits.maxStorageBufferBindingSize);
  return windows.map((window) => {
    const { workgroupSize, grid } = striding(Math.ceil((window.count * type.bytes) / 4), traits);
    return {
      program: program("radix_pack", {
        variants: key.variants,
        constants: { ...key.constants, KEY_BITS: 8 * type.bytes, WORKGROUP_SIZE: workgroupSize },
      }),
      bindings: [
        bindWindow(ordered, window, 4, windows.length === 1),
        bindWindow(keys, window, type.bytes, windows.length === 1),
      ],
      // If the device reads the number of keys, it is the first word of the first move's parameters. Keys
      // past that number stay unchanged.
      params: options.counted
        ? { buffer: PARAMS, offset: 0, bytes: 16 }
        : params("radix_pack", { keyCount: window.count }),
      grid,
    };
  });
}

/** Writes sorted keys of 8 bits. The buffer "totals" holds the number of keys with each ordered form. */
export function countingFillPasses({ keyCount, type, options, traits }: RadixJob, keys: string): Pass[] {
  const key = keyParts(type, options);
  const windows = windowsOf(keyCount, windowUnit(4), 1, traits.limits.maxStorageBufferBindingSize);
  return windows.map((window) => {
    const { workgroupSize, stride, grid } = striding(Math.ceil(window.count / 4), traits);
    return {
      program: program("counting_fill", {
        variants: { ...key.variants, compared: "ordered" },
        constants: { ...key.constants, WORKGROUP_SIZE: workgroupSize, DIGIT_BITS: 8 },
      }),
      bindings: ["totals", bindWindow(keys, window, 1, windows.length === 1)],
      params: params("counting_fill", { keyCount: window.count, keyBegin: window.begin, stride }),
      grid,
    };
  });
}

/** The buffer of values of several words in the order of their keys. */
export const GATHERED = "gathered";

/** Which values are gathered. */
interface Gather {
  /** The buffer of sorted indices, and how many of them. */
  readonly indices: string;
  readonly count: number;
  /** The values in the buffer "values"; by default as many as indices. */
  readonly valueCount?: number;
  /** The bytes of a value, a multiple of 4. */
  readonly valueBytes: number;
}

/** Copies values of several words from the buffer "values" to GATHERED, in the order of sorted indices. */
export function gatherPasses(
  { indices, count, valueCount = count, valueBytes }: Gather,
  traits: DeviceTraits,
): Pass[] {
  const maxBytes = traits.limits.maxStorageBufferBindingSize;
  const outputs = windowsOf(count, windowUnit(1), valueBytes, maxBytes);
  const inputs = windowsOf(valueCount, windowUnit(1), valueBytes, maxBytes);
  return outputs.flatMap((output) =>
    inputs.map((input): Pass => {
      const { workgroupSize, stride, grid } = striding((output.count * valueBytes) / 4, traits);
      return {
        program: program("gather", { constants: { WORKGROUP_SIZE: workgroupSize } }),
        bindings: [
          bindWindow(indices, output, 4, outputs.length === 1),
          bindWindow("values", input, valueBytes, inputs.length === 1),
          bindWindow(GATHERED, output, valueBytes, outputs.length === 1),
        ],
        params: params("gather", {
          words: valueBytes / 4,
          indexCount: output.count,
          valueBegin: input.begin,
          valueCount: input.count,
          stride,
        }),
        grid,
      };
    }),
  );
}

/** The pass that reads the number of keys from the buffer "count" and writes the parameters of all moves. */
export function planOnDevicePass(job: RadixJob): Pass {
  const { keyCount, chunkUnit, minChunk, tuning, bits, options } = job;
  return {
    program: program("radix_plan_on_device", {
      constants: { BLOCK_BYTES: BINDING_ALIGNMENT, DIGIT_BITS: tuning.digitBits },
    }),
    bindings: ["count", PARAMS],
    params: params("radix_plan_on_device", {
      capacity: keyCount,
      chunkUnit,
      minChunk,
      maxColumns: maxColumns(job),
      ...bits,
      countAt: options.countAt ?? 0,
    }),
    grid: [1, 1, 1],
  };
}
