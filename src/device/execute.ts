import { BINDING_ALIGNMENT, type BufferRange, type Plan, planBytes, rangeOf } from "../plan/plan.js";
import type { Gpu } from "./gpu.js";
import type { Timer } from "./timer.js";
import { BufferUsage } from "./usage.js";

/** A range of a caller's buffer, from `offset` bytes on, a multiple of BINDING_ALIGNMENT. */
export interface SuppliedRange {
  readonly buffer: GPUBuffer;
  readonly offset: number;
}

export type Supplied = GPUBuffer | SuppliedRange;

/**
 * A plan made ready for a device: buffers allocated, kernels compiled, parameters uploaded, bindings made.
 * It can be encoded any number of times, into any encoder of the same device; encoding submits nothing.
 */
export class Execution {
  readonly plan: Plan;
  /** By the plan's names; each begins where the caller said, or at 0. */
  readonly buffers: Readonly<Record<string, GPUBuffer>>;
  readonly #steps: readonly Step[];
  readonly #owned: readonly GPUBuffer[];

  private constructor(
    plan: Plan,
    buffers: Record<string, GPUBuffer>,
    steps: readonly Step[],
    owned: readonly GPUBuffer[],
  ) {
    this.plan = plan;
    this.buffers = buffers;
    this.#steps = steps;
    this.#owned = owned;
  }

  /**
   * @param supplied buffers that exist already, or ranges of them, by the plan's names: at least as long as the plan
   *   says, with usage STORAGE. The rest are made here, with COPY_SRC and COPY_DST besides, and destroyed by `destroy`.
   * @throws DeviceError if the device refuses a buffer; KernelError if a kernel does not compile.
   */
  static async prepare(
    gpu: Gpu,
    plan: Plan,
    supplied: Readonly<Record<string, Supplied>> = {},
  ): Promise<Execution> {
    const compiling = Promise.all(plan.passes.map((pass) => gpu.kernels.pipeline(pass.program)));
    compiling.catch(() => {}); // heard of below, after the buffers' own errors
    const usage = BufferUsage.storage | BufferUsage.copySource | BufferUsage.copyDestination;
    const owned: GPUBuffer[] = [];
    try {
      const buffers = await gpu.checked(`allocating ${planBytes(plan)} bytes of device memory`, () => {
        const all: Record<string, GPUBuffer> = {};
        for (const [label, { bytes, uniform }] of Object.entries(plan.buffers)) {
          const given = supplied[label];
          if (given) {
            all[label] = "offset" in given ? given.buffer : given;
            continue;
          }
          const uses = uniform ? usage | BufferUsage.uniform : usage;
          all[label] = gpu.device.createBuffer({ label, size: bytes, usage: uses });
          owned.push(all[label]);
        }
        return all;
      });
      const params = await uploadParams(gpu, plan);
      owned.push(params);
      const pipelines = await compiling;
      const steps = await gpu.checked("binding the buffers", () =>
        plan.passes.map(({ bindings, params: words, grid }, i): Step => {
          const pipeline = pipelines[i]!;
          const resource = ({ buffer, offset, bytes }: BufferRange) => {
            const given = supplied[buffer];
            const start = given && "offset" in given ? given.offset : 0;
            return { buffer: buffers[buffer]!, offset: start + offset, size: bytes };
          };
          const bound = bindings.map((one, binding) => ({
            binding,
            resource: resource(rangeOf(one, plan.buffers)),
          }));
          const uniform =
            "buffer" in words
              ? resource(words)
              : { buffer: params, offset: i * BINDING_ALIGNMENT, size: uniformBytes(words) };
          const entries = [...bound, { binding: bindings.length, resource: uniform }];
          const group = gpu.device.createBindGroup({ layout: pipeline.getBindGroupLayout(0), entries });
          return { pipeline, group, grid };
        }),
      );
      return new Execution(plan, buffers, steps, owned);
    } catch (error) {
      for (const buffer of owned) buffer.destroy();
      throw error;
    }
  }

  get result(): GPUBuffer {
    return this.buffers[this.plan.result]!;
  }

  /** Encodes all passes as one compute pass, timed if a timer is given. */
  encode(encoder: GPUCommandEncoder, timer?: Timer): void {
    const pass = encoder.beginComputePass(timer?.passDescriptor);
    this.record(pass);
    pass.end();
  }

  /** Encodes all passes into a compute pass that somebody else began and will end. */
  record(pass: GPUComputePassEncoder): void {
    for (const { pipeline, group, grid } of this.#steps) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      pass.dispatchWorkgroups(...grid);
    }
  }

  destroy(): void {
    for (const buffer of this.#owned) buffer.destroy();
  }
}

interface Step {
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
  readonly grid: readonly [number, number, number];
}

function uniformBytes(words: readonly number[]): number {
  return Math.ceil(words.length / 4) * 16;
}

async function uploadParams(gpu: Gpu, plan: Plan): Promise<GPUBuffer> {
  const size = Math.max(1, plan.passes.length) * BINDING_ALIGNMENT;
  const buffer = await gpu.buffer("params", size, BufferUsage.uniform, true);
  const words = new Uint32Array(buffer.getMappedRange());
  plan.passes.forEach(({ params }, i) => {
    if (!("buffer" in params)) words.set(params, (i * BINDING_ALIGNMENT) / 4);
  });
  buffer.unmap();
  return buffer;
}
