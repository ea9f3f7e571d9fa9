import { KernelError } from "../errors.js";
import type { GPUComputePipeline, GPUDevice } from "../host_types.js";
import { library } from "../shaders/kernels.generated.js";
import { linkedProgram } from "../shaders/linked.js";
import type { BindingKind, Program, ShaderLibrary, TextureFormat } from "../shaders/program.js";
import { ShaderStage } from "./usage.js";

/**
 * The most pipelines that a cache keeps: about three times what 200 prepared sorts of one description and of
 * random lengths up to 2^27 compile, which is 87 at most. One sort has fewer than 30.
 */
const MAX_PIPELINES = 256;

/**
 * Compiles programs for one device. It keeps the 256 pipelines that were used last, and no failures: a program
 * that did not compile, or was dropped, is compiled by the next call. Work that is prepared keeps its own.
 */
export class KernelCache {
  readonly #device: GPUDevice;
  readonly #libraries = [library];
  /** Those that were used last come last. */
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();
  readonly #subgroupSize: number | undefined;

  /**
   * @param device the device, whose errors this cache takes within error scopes of its own.
   * @param subgroupSize the size of the subgroups of all kernels that have any. The device must have the
   *   feature "subgroup-size-control". Default: the driver chooses.
   */
  constructor(device: GPUDevice, subgroupSize?: number) {
    this.#device = device;
    this.#subgroupSize = subgroupSize;
  }

  /**
   * Adds the kernels of another library to those that programs may use.
   *
   * @internal
   */
  add(library: ShaderLibrary): void {
    if (!this.#libraries.includes(library)) this.#libraries.push(library);
  }

  /**
   * Compiles a program, or returns the pipeline of an equal program that the cache has.
   *
   * @throws KernelError if the kernel does not compile; the message has the file and line of the first error.
   * @throws LoadError if its WGSL does not load. After any failure, a later call tries again.
   */
  pipeline(program: Program): Promise<GPUComputePipeline> {
    const key = JSON.stringify(program);
    const known = this.#pipelines.get(key);
    const pipeline = known ?? this.#compile(program);
    this.#pipelines.delete(key);
    this.#pipelines.set(key, pipeline);
    if (!known) {
      // What failed once may not fail again, as for want of memory. Another pipeline may have taken its place.
      pipeline.catch(() => this.#pipelines.get(key) === pipeline && this.#pipelines.delete(key));
      const [oldest] = this.#pipelines.keys();
      if (this.#pipelines.size > MAX_PIPELINES) this.#pipelines.delete(oldest!);
    }
    return pipeline;
  }

  /**
   * Drops all pipelines.
   *
   * @internal
   */
  clear(): void {
    this.#pipelines.clear();
  }

  async #compile(program: Program): Promise<GPUComputePipeline> {
    const from = this.#libraries.find(({ kernels }) => program.kernel in kernels) ?? library;
    const { code: linked, locate } = await linkedProgram(program, from);
    const code = withSubgroupSize(linked, this.#subgroupSize);
    // Without this scope, a module that fails is also reported as an uncaptured error.
    this.#device.pushErrorScope("validation");
    const module = this.#device.createShaderModule({ label: program.kernel, code });
    const invalid = this.#device.popErrorScope();
    try {
      const pipeline = await this.#device.createComputePipelineAsync({
        label: program.kernel,
        layout: program.layout ? explicitLayout(this.#device, program.layout) : "auto",
        compute: { module, entryPoint: "main" },
      });
      await invalid;
      return pipeline;
    } catch (cause) {
      const { messages } = await module.getCompilationInfo();
      const first = messages.find((message) => message.type === "error");
      const where = first ? `${locate(first.lineNum)}:${first.linePos}: ${first.message}` : `${cause}`;
      throw new KernelError(program.kernel, `the kernel '${program.kernel}' did not compile: ${where}`, {
        cause,
      });
    }
  }
}

/** Asks for the size of a kernel's subgroups, if it has any. All lines keep their numbers. */
function withSubgroupSize(code: string, size: number | undefined): string {
  if (size === undefined || !code.includes("enable subgroups;")) return code;
  return code
    .replace("enable subgroups;", "enable subgroups; enable subgroup_size_control;")
    .replace(/fn main\(/, `@subgroup_size(${size}) fn main(`);
}

function explicitLayout(device: GPUDevice, kinds: readonly BindingKind[]): GPUPipelineLayout {
  const bound = kinds.map(entryOf);
  const entries = [...bound, { buffer: { type: "uniform" as const } }].map((entry, binding) => ({
    ...entry,
    binding,
    visibility: ShaderStage.compute,
  }));
  return device.createPipelineLayout({ bindGroupLayouts: [device.createBindGroupLayout({ entries })] });
}

function entryOf(kind: BindingKind): Omit<GPUBindGroupLayoutEntry, "binding" | "visibility"> {
  switch (kind) {
    case "read-only-buffer":
      return { buffer: { type: "read-only-storage" } };
    case "buffer":
      return { buffer: { type: "storage" } };
    case "unfilterable-texture":
      return { texture: { sampleType: "unfilterable-float" } };
    case "nearest-sampler":
      return { sampler: { type: "non-filtering" } };
    default:
      return {
        storageTexture: { access: "write-only", format: kind.replace("store-", "") as TextureFormat },
      };
  }
}
