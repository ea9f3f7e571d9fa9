import { workgroupSize1d } from "../plan/grid.js";
import { arrayBytes, type Pass, type Plan } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import type { KeyBits } from "../sort/key.js";
import { placeBindings } from "../sort/radix/radix_parts.js";
import { bindWindow, windowsOf, windowUnit } from "../sort/windows.js";
import { params, program } from "./kernels.js";

/** A histogram of the u32 in the buffer "keys". */
export interface HistogramJob {
  /** Keys at most, which is what they are unless the device reads their number. */
  readonly capacity: number;
  readonly traits: DeviceTraits;
  /** The bits of a key that are the number of its bin. */
  readonly bits: KeyBits;
  /** At least 1. Keys with higher numbers are not counted. */
  readonly bins: number;
  /** Whether the device reads the number of keys from the buffer "count". */
  readonly counted?: boolean | undefined;
  /** The index of that word in what is bound of its buffer; 0 by default. */
  readonly countAt?: number | undefined;
  /** Workgroups at most, if other than the usual number. */
  readonly maxWorkgroups?: number | undefined;
}

/** Workgroups at most: enough to keep any device busy, as each adds all of its counters to the result. */
const MAX_WORKGROUPS = { hardware: 1024, software: 64 };
/** The least number of keys that a workgroup counts for each of its bins in workgroup memory. */
const KEYS_PER_COUNTER = 4;
const LOADS = 8;

/**
 * Plans a histogram: the result holds for each bin how many keys are in it. Up to 4,096 bins are counted in
 * workgroup memory, as far as it has room, and more of them in the result itself.
 */
export function histogramPlan(job: HistogramJob): Plan {
  const { capacity, traits, bits, bins, counted, countAt = 0 } = job;
  const { limits } = traits;
  const workgroupSize = cooperativeWorkgroupSize(256, traits);
  const counters = 2 ** Math.ceil(Math.log2(bins));
  const inWorkgroup = counters <= Math.min(4096, limits.maxComputeWorkgroupStorageSize / 4);
  const { maxWorkgroups: most = MAX_WORKGROUPS[traits.software ? "software" : "hardware"] } = job;
  const keysPerWorkgroup = Math.max(LOADS * workgroupSize, inWorkgroup ? KEYS_PER_COUNTER * counters : 0);
  const windows = windowsOf(capacity, windowUnit(1), 4, limits.maxStorageBufferBindingSize);
  const { begin, end } = bits;
  const counts = windows.map((window): Pass => {
    const workgroups = Math.max(1, Math.min(most, Math.ceil(window.count / keysPerWorkgroup)));
    const { bindings, numbers } = placeBindings(
      [bindWindow("keys", window, 4, windows.length === 1), "counts"],
      [["COUNT", counted ? ["count"] : []]],
    );
    return {
      program: program("histogram_count", {
        variants: {
          bin_counters: inWorkgroup ? "workgroup" : "memory",
          key_total: counted ? "counted" : "planned",
        },
        constants: {
          ...numbers,
          ...(inWorkgroup ? { COUNTERS: counters } : {}),
          WORKGROUP_SIZE: workgroupSize,
          LOADS,
        },
      }),
      bindings,
      params: params("histogram_count", {
        begin: window.begin,
        keyCount: window.count,
        stride: workgroups * workgroupSize,
        shift: Math.min(begin, 31),
        mask: end === begin ? 0 : 2 ** (end - begin) - 1,
        bins,
        countAt,
      }),
      grid: [workgroups, 1, 1],
    };
  });
  const clearSize = workgroupSize1d(256, limits);
  const clear: Pass = {
    program: program("histogram_clear", { constants: { WORKGROUP_SIZE: clearSize } }),
    bindings: ["counts"],
    params: params("histogram_clear", { bins }),
    grid: [Math.ceil(bins / clearSize), 1, 1],
  };
  return {
    buffers: {
      keys: { bytes: arrayBytes(capacity, 4) },
      counts: { bytes: arrayBytes(bins, 4) },
      ...(counted ? { count: { bytes: 4 * (countAt + 1) } } : {}),
    },
    passes: [clear, ...counts],
    result: "counts",
  };
}
