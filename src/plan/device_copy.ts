import { linearGrid, workgroupSize1d } from "./grid.js";
import { bufferBytes, type Plan } from "./plan.js";
import type { DeviceTraits } from "./traits.js";

const VECTOR_BYTES = 16;

/** A software adapter's invocations are costly to start, a GPU's are many in flight. */
const SHAPES = {
  hardware: { invocations: 256, vectors: 4 },
  software: { invocations: 64, vectors: 8 },
};

/**
 * One pass that copies the buffer "keys" to "copy": `bytes` read and as many written, at the rate that the device's
 * memory gives a kernel. @param bytes a multiple of 16.
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
        program: {
          kernel: "device_copy",
          uses: ["grid"],
          constants: { WORKGROUP_SIZE: workgroupSize, VECTORS: vectors },
        },
        bindings: ["keys", "copy"],
        params: [bytes / VECTOR_BYTES, workgroups],
        grid: linearGrid(workgroups, traits.limits),
      },
    ],
    result: "copy",
  };
}
