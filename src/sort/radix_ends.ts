import type { Pass } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { orderConstants, orderModules } from "./key.js";
import type { RadixJob } from "./radix_job.js";
import { PARAMS } from "./radix_passes.js";
import { bindWindow, windowsOf, windowUnit } from "./windows.js";

/** Workgroups that fill a device, of which each invocation does every stride-th piece of work. */
const MOST_WORKGROUPS = { hardware: 2048, software: 64 };

function striding(pieces: number, traits: DeviceTraits) {
  const workgroupSize = cooperativeWorkgroupSize(256, traits);
  const most = traits.software ? MOST_WORKGROUPS.software : MOST_WORKGROUPS.hardware;
  const workgroups = Math.max(1, Math.min(most, Math.ceil(pieces / workgroupSize)));
  return { workgroupSize, stride: workgroups * workgroupSize, grid: [workgroups, 1, 1] as const };
}

/** Sorted images of a word each, back to keys of 8 or 16 bits. Windows of images and of keys are alike. */
export function packPasses(
  { keyCount, type, options, traits }: RadixJob,
  images: string,
  keys: string,
): Pass[] {
  const windows = windowsOf(keyCount, windowUnit(4), 4, traits.limits.maxStorageBufferBindingSize);
  return windows.map((window) => {
    const { workgroupSize, grid } = striding(Math.ceil((window.count * type.bytes) / 4), traits);
    return {
      program: {
        kernel: "radix_pack",
        uses: orderModules(type),
        constants: { WORKGROUP_SIZE: workgroupSize, ...orderConstants(type, options) },
      },
      bindings: [
        bindWindow(images, window, 4, windows.length === 1),
        bindWindow(keys, window, type.bytes, windows.length === 1),
      ],
      // Keys past those that the device counts are nobody's to write.
      params: options.counted ? { buffer: PARAMS, offset: 0, bytes: 16 } : [window.count],
      grid,
    };
  });
}

/** Keys of 8 bits in order, given how many there are of each in the buffer "totals". */
export function countingFillPasses({ keyCount, type, options, traits }: RadixJob, keys: string): Pass[] {
  const windows = windowsOf(keyCount, windowUnit(4), 1, traits.limits.maxStorageBufferBindingSize);
  return windows.map((window) => {
    const { workgroupSize, stride, grid } = striding(Math.ceil(window.count / 4), traits);
    return {
      program: {
        kernel: "counting_fill",
        uses: [...orderModules(type), "digit", "workgroup_scan"],
        constants: { WORKGROUP_SIZE: workgroupSize, DIGIT_BITS: 8, ...orderConstants(type, options) },
      },
      bindings: ["totals", bindWindow(keys, window, 1, windows.length === 1)],
      params: [window.count, window.begin, stride],
      grid,
    };
  });
}

/** Values of several words, from the buffer "values" to another, by indices. */
export function gatherPasses(
  { keyCount, traits }: RadixJob,
  valueBytes: number,
  indices: string,
  to: string,
): Pass[] {
  const windows = windowsOf(keyCount, windowUnit(1), valueBytes, traits.limits.maxStorageBufferBindingSize);
  const whole = windows.length === 1;
  return windows.flatMap((output) =>
    windows.map((input): Pass => {
      const { workgroupSize, stride, grid } = striding((output.count * valueBytes) / 4, traits);
      return {
        program: { kernel: "gather", uses: [], constants: { WORKGROUP_SIZE: workgroupSize } },
        bindings: [
          bindWindow(indices, output, 4, whole),
          bindWindow("values", input, valueBytes, whole),
          bindWindow(to, output, valueBytes, whole),
        ],
        params: [valueBytes / 4, output.count, input.begin, input.count, stride],
        grid,
      };
    }),
  );
}
