import type { GPUBuffer, GPUCommandEncoder, GPUComputePassEncoder, GPUTexture } from "../host_types.js";
import {
  BINDING_ALIGNMENT,
  type Binding,
  type BufferRange,
  bufferBytes,
  gridPlace,
  type Pass,
  type Plan,
  planBytes,
  rangeOf,
} from "../plan/plan.js";
import type { Gpu } from "./gpu.js";
import type { Timer } from "./timer.js";
import { BufferUsage, TextureUsage } from "./usage.js";

/** A range of a caller's buffer. Its length is what the sort or plan needs. */
export interface SuppliedRange {
  /** A buffer of the same device, with the usages that the sort or plan needs. */
  readonly buffer: GPUBuffer;
  /** The first byte of the range. A multiple of 256 works on every device. */
  readonly offset: number;
}

/** A buffer that the caller passes: a whole GPUBuffer, or a range of one. */
export type Supplied = GPUBuffer | SuppliedRange;

/**
 * A plan that is ready to run on a device: its buffers and textures are allocated, its kernels are compiled,
 * its parameters are uploaded, and its resources are bound. It can be encoded any number of times, into any
 * encoder of the same device. Encoding submits nothing.
 */
export class Execution {
  /** The plan, as `prepare` got it. */
  readonly plan: Plan;
  /**
   * The buffers by their names in the plan. A supplied range is its whole buffer here: its data begin at its
   * offset.
   */
  readonly buffers: Readonly<Record<string, GPUBuffer>>;
  /** The textures by their names in the plan. */
  readonly textures: Readonly<Record<string, GPUTexture>>;
  readonly #steps: readonly Step[];
  readonly #owned: readonly Owned[];

  private constructor(plan: Plan, resources: Resources, steps: readonly Step[], owned: readonly Owned[]) {
    this.plan = plan;
    this.buffers = resources.buffers;
    this.textures = resources.textures;
    this.#steps = steps;
    this.#owned = owned;
  }

  /**
   * Allocates, compiles and binds everything that a plan needs.
   *
   * @param gpu the device to run on.
   * @param plan the plan to prepare.
   * @param supplied buffers that the caller owns, or ranges of them, by their names in the plan. Each must
   *   have at least the length that the plan says, and usage STORAGE (and INDIRECT if it holds a grid). All
   *   other buffers are made here, also with COPY_SRC and COPY_DST, and `destroy` destroys them.
   * @throws DeviceError if the device rejects a buffer, fails or runs out of memory.
   * @throws KernelError if a kernel does not compile.
   */
  static async prepare(
    gpu: Gpu,
    plan: Plan,
    supplied: Readonly<Record<string, Supplied>> = {},
  ): Promise<Execution> {
    const passes = [...new Set(plan.passes)]; // a pass that occurs several times is prepared once
    const compiling = Promise.all(passes.map((pass) => gpu.kernels.pipeline(pass.program)));
    compiling.catch(() => {}); // awaited below, so that an error of the buffers is reported first
    const owned: Owned[] = [];
    try {
      const resources = await gpu.checked(`allocating ${planBytes(plan)} bytes of device memory`, () =>
        allocate(gpu.device, plan, supplied, owned),
      );
      const params = await uploadParams(gpu, passes);
      owned.push(params);
      const pipelines = await compiling;
      const steps = await gpu.checked("binding the buffers", () =>
        passes.map((pass, i): Step => {
          const pipeline = pipelines[i]!;
          const bound = pass.bindings.map((one) => resourceOf(one, plan, resources, supplied));
          if ("buffer" in pass.params) bound.push(rangeResource(pass.params, resources, supplied));
          else if (pass.params.length > 0) {
            bound.push({ buffer: params, offset: i * BINDING_ALIGNMENT, size: uniformBytes(pass.params) });
          }
          const group = gpu.device.createBindGroup({
            layout: pipeline.getBindGroupLayout(0),
            entries: bound.map((resource, binding) => ({ binding, resource })),
          });
          return { pipeline, group, grid: pass.grid, indirect: gridResource(pass, resources, supplied) };
        }),
      );
      const stepOf = new Map(passes.map((pass, i) => [pass, steps[i]!]));
      return new Execution(
        plan,
        resources,
        plan.passes.map((pass) => stepOf.get(pass)!),
        owned,
      );
    } catch (error) {
      for (const resource of owned) resource.destroy();
      throw error;
    }
  }

  /** The buffer that holds the plan's result. Only valid if the result is not a texture. */
  get result(): GPUBuffer {
    return this.buffers[this.plan.result]!;
  }

  /**
   * Encodes all passes as one compute pass.
   *
   * @param encoder an encoder of the device.
   * @param timer measures that compute pass.
   * @param rounds how many times to run all passes, one round after the other.
   */
  encode(encoder: GPUCommandEncoder, timer?: Timer, rounds = 1): void {
    const pass = encoder.beginComputePass(timer?.passDescriptor);
    for (let round = 0; round < rounds; round++) this.record(pass);
    pass.end();
  }

  /** Encodes all passes into a compute pass that the caller began and will end. */
  record(pass: GPUComputePassEncoder): void {
    for (const { pipeline, group, grid, indirect } of this.#steps) {
      pass.setPipeline(pipeline);
      pass.setBindGroup(0, group);
      if (indirect) pass.dispatchWorkgroupsIndirect(indirect.buffer, indirect.offset);
      else pass.dispatchWorkgroups(...grid);
    }
  }

  /** Destroys the buffers and textures that `prepare` made; supplied buffers stay. */
  destroy(): void {
    for (const resource of this.#owned) resource.destroy();
  }
}

interface Step {
  readonly pipeline: GPUComputePipeline;
  readonly group: GPUBindGroup;
  readonly grid: readonly [number, number, number];
  readonly indirect: SuppliedRange | undefined;
}

type Owned = GPUBuffer | GPUTexture;

interface Resources {
  readonly buffers: Readonly<Record<string, GPUBuffer>>;
  readonly textures: Readonly<Record<string, GPUTexture>>;
  readonly samplers: Readonly<Record<string, GPUSampler>>;
}

/**
 * Makes the resources of a plan. Adds each to `owned` when it is made, so that it can be destroyed if a later
 * one fails.
 */
function allocate(
  device: GPUDevice,
  { buffers, textures = {}, samplers = {}, passes }: Plan,
  supplied: Readonly<Record<string, Supplied>>,
  owned: Owned[],
): Resources {
  const own = <T extends Owned>(resource: T): T => {
    owned.push(resource);
    return resource;
  };
  const grids = new Set(passes.map((pass) => gridPlace(pass)?.buffer));
  const storage = BufferUsage.storage | BufferUsage.copySource | BufferUsage.copyDestination;
  return {
    buffers: mapValues(buffers, ({ bytes, uniform }, label) => {
      const lent = supplied[label];
      if (lent) return "offset" in lent ? lent.buffer : lent;
      const indirect = grids.has(label) ? BufferUsage.indirect : 0;
      const usage = storage | indirect | (uniform ? BufferUsage.uniform : 0);
      return own(device.createBuffer({ label, size: bufferBytes(bytes), usage }));
    }),
    textures: mapValues(textures, ({ width, height, format }, label) => {
      const { binding, storage, copySource, copyDestination } = TextureUsage;
      const all = binding | storage | copySource | copyDestination;
      return own(device.createTexture({ label, size: [width, height], format, usage: all }));
    }),
    samplers: mapValues(samplers, ({ filter, address }, label) =>
      device.createSampler({
        label,
        magFilter: filter,
        minFilter: filter,
        addressModeU: address,
        addressModeV: address,
      }),
    ),
  };
}

function mapValues<T, U>(
  record: Readonly<Record<string, T>>,
  map: (value: T, name: string) => U,
): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value, name)]));
}

function resourceOf(
  binding: Binding,
  plan: Plan,
  resources: Resources,
  supplied: Readonly<Record<string, Supplied>>,
): GPUBindingResource {
  if (typeof binding !== "string" || plan.buffers[binding]) {
    return rangeResource(rangeOf(binding, plan.buffers), resources, supplied);
  }
  return resources.textures[binding]?.createView() ?? resources.samplers[binding]!;
}

function rangeResource(
  { buffer, offset, bytes }: BufferRange,
  { buffers }: Resources,
  supplied: Readonly<Record<string, Supplied>>,
): GPUBindingResource {
  return { buffer: buffers[buffer]!, offset: startOf(buffer, supplied) + offset, size: bytes };
}

/** The first byte of a plan's buffer in the buffer that holds it. */
function startOf(buffer: string, supplied: Readonly<Record<string, Supplied>>): number {
  const lent = supplied[buffer];
  return lent && "offset" in lent ? lent.offset : 0;
}

function gridResource(
  pass: Pass,
  { buffers }: Resources,
  supplied: Readonly<Record<string, Supplied>>,
): SuppliedRange | undefined {
  const place = gridPlace(pass);
  if (!place) return undefined;
  return { buffer: buffers[place.buffer]!, offset: startOf(place.buffer, supplied) + place.offset };
}

function uniformBytes(words: readonly number[]): number {
  return Math.ceil(words.length / 4) * 16;
}

async function uploadParams(gpu: Gpu, passes: readonly Pass[]): Promise<GPUBuffer> {
  const size = Math.max(1, passes.length) * BINDING_ALIGNMENT;
  const buffer = await gpu.buffer("params", size, BufferUsage.uniform, true);
  const words = new Uint32Array(buffer.getMappedRange());
  passes.forEach(({ params }, i) => {
    if (!("buffer" in params)) words.set(params, (i * BINDING_ALIGNMENT) / 4);
  });
  buffer.unmap();
  return buffer;
}
