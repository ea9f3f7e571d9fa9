import { arrayBytes, type Pass, type Plan } from "../plan/plan.js";
import { placeBindings } from "../sort/radix/radix_parts.js";
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
} from "./chunked.js";
import { params, program } from "./kernels.js";

/** The types of numbers that are added up. */
export type ScanType = "u32" | "f32";

/** A scan of the buffer "values". */
export interface ScanJob extends ChunkedJob {
  readonly type: ScanType;
  /** Whether the sums go to the buffer "output" instead of replacing the values. */
  readonly apart?: boolean | undefined;
}

const TILES = { hardware: 7, software: 32 };

/**
 * Plans a scan: the result holds for each value the sum of all values before it, and "total" the sum of all.
 */
export function scanPlan(job: ScanJob): Plan {
  const { capacity, type, apart } = job;
  const shape = chunkShape(job, TILES);
  const { variants, constants, count } = chunkParts(job, shape);
  const elements = { bytes: arrayBytes(capacity, 4) };
  const writes = shape.windows.map((window): Pass => {
    const { bindings, numbers } = placeBindings(
      [bindElements("values", window, shape), CHUNK_SUMS, TOTAL],
      [
        ["OUTPUT", apart ? [bindElements("output", window, shape)] : []],
        ["COUNT", count],
      ],
    );
    return {
      program: program("scan_write", {
        variants: { ...variants, summand: type, scan_output: apart ? "apart" : "in_place" },
        constants: { ...constants, ...numbers, ELEMENTS_PER_INVOCATION: shape.keysPerInvocation },
      }),
      bindings,
      params: params("scan_write", windowParams(job, shape, window)),
      grid: chunkGrid(shape, window),
    };
  });
  return {
    buffers: { values: elements, ...(apart ? { output: elements } : {}), ...chunkBuffers(job, shape) },
    passes: [...reducePasses(job, shape, "values", type), ...writes],
    result: apart ? "output" : "values",
  };
}
