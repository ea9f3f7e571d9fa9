import { params, program } from "../shaders/kernels.js";
import { linearGrid, workgroupSize1d } from "./grid.js";
import { bufferBytes, type Plan } from "./plan.js";
import type { DeviceTraits } from "./traits.js";

const VECTOR_BYTES = 16;

/**
 * A software adapter starts invocations slowly, so each of them copies more. A GPU runs many invocations at
 * once.
 */
const SHAPES = {
  hardware: { invocations: 256, vectors: 4 },
  software: { invocations: 64, vectors: 8 },
};

/**
 * Plans one pass that copies the buffer "keys" to the buffer "copy", to measure how fast a kernel can read
 * and write device memory.
 *
 * @param bytes the length of each buffer, a multiple of 16.
 */
export function deviceCopyPlan(bytes: number, traits: DeviceTraits): Plan {
  const { invocations, vectors } = traits.software ? SHAPES.software : SHAPES.hardware;
  const workgroupSize = workgroupSize1d(invocations, traits.limits);
  const workgroups = Math.ceil(bytes / VECTOR_BYTES / workgroupSize / vectors);
  const buffer = { bytes: bufferBytes(bytes) };
  return {
    buffers: { keys: buffer, copy: buffer },
    passes: [
      {
        program: program("device_copy", { constants: { WORKGROUP_SIZE: workgroupSize, VECTORS: vectors } }),
        bindings: ["keys", "copy"],
        params: params("device_copy", { vectors: bytes / VECTOR_BYTES, workgroups }),
        grid: linearGrid(workgroups, traits.limits),
      },
    ],
    result: "copy",
  };
}
