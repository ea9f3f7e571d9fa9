import { arrayBytes, type Pass, type Plan } from "../plan/plan.js";
import { placeBindings } from "../sort/radix/radix_parts.js";
import { bindWindow, windowsOf, windowUnit } from "../sort/windows.js";
import { params, program } from "./kernels.js";
import {
  bindElements,
  CHUNK_SUMS,
  type ChunkedJob,
  chunkBuffers,
  chunkGrid,
  chunkParts,
  chunkShape,
  reducePasses,
  TOTAL,
  windowParams,
} from "./scan_plan.js";

/** A compaction of items by the buffer "flags". */
export interface CompactionJob extends ChunkedJob {
  /** Bytes of a value, a multiple of 4; 0 if no values are moved. */
  readonly valueBytes: number;
  /** Whether the indices of the items that are kept are written. */
  readonly indices: boolean;
}

const TILES = { hardware: 5, software: 32 };

/**
 * Plans a compaction: it copies the values of the items whose flag is not 0 from "values" to "output", and
 * writes their indices to "indices", in the order of the items; and their number to "total".
 */
export function compactionPlan(job: CompactionJob): Plan {
  const { capacity, valueBytes, indices, traits } = job;
  const bytes = Math.max(4, valueBytes);
  const shape = chunkShape(job, TILES, bytes);
  const { variants, constants, count } = chunkParts(job, shape);
  const outputs = windowsOf(capacity, windowUnit(1), bytes, traits.limits.maxStorageBufferBindingSize);
  const moves = shape.windows.flatMap((window) =>
    outputs.map((output): Pass => {
      const whole = outputs.length === 1;
      const { bindings, numbers } = placeBindings(
        [bindElements("flags", window, shape), CHUNK_SUMS, TOTAL],
        [
          [
            "VALUES",
            valueBytes === 0
              ? []
              : [
                  bindElements("values", window, shape, valueBytes),
                  bindWindow("output", output, valueBytes, whole),
                ],
          ],
          ["INDICES", indices ? [bindWindow("indices", output, 4, whole)] : []],
          ["COUNT", count],
        ],
      );
      return {
        program: program("scan_compact", {
          variants: {
            ...variants,
            summand: "flag",
            scan_output: undefined,
            kept_values: valueBytes === 0 ? undefined : "words",
            kept_indices: indices ? "all" : undefined,
          },
          constants: {
            ...constants,
            ...numbers,
            ...(valueBytes === 0 ? {} : { VALUE_WORDS: valueBytes / 4 }),
            ELEMENTS_PER_INVOCATION: shape.keysPerInvocation,
          },
        }),
        bindings,
        params: params("scan_compact", windowParams(job, shape, window, output)),
        grid: chunkGrid(shape, window),
      };
    }),
  );
  const values = { bytes: arrayBytes(capacity, valueBytes) };
  return {
    buffers: {
      flags: { bytes: arrayBytes(capacity, 4) },
      ...(valueBytes === 0 ? {} : { values, output: values }),
      ...(indices ? { indices: { bytes: arrayBytes(capacity, 4) } } : {}),
      ...chunkBuffers(job, shape),
    },
    passes: [...reducePasses(job, shape, "flags", "flag"), ...moves],
    result: valueBytes === 0 ? "indices" : "output",
  };
}
