import { KernelError } from "../errors.js";
import { library } from "../shaders/kernels.js";
import type { ShaderLibrary } from "../shaders/library.js";
import { locate, shaderSource } from "../shaders/link.js";
import type { BindingKind, Program, TextureFormat } from "../shaders/program.js";
import { ShaderStage } from "./usage.js";

/** Compiles programs for one device. Each program is compiled once. */
export class KernelCache {
  readonly #device: GPUDevice;
  readonly #libraries = [library];
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();

  constructor(device: GPUDevice) {
    this.#device = device;
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
   * Compiles a program, or returns the pipeline of an equal program.
   *
   * @throws KernelError if the kernel does not compile; the message has the file and line of the first error.
   */
  pipeline(program: Program): Promise<GPUComputePipeline> {
    const key = JSON.stringify(program);
    let pipeline = this.#pipelines.get(key);
    if (!pipeline) {
      pipeline = this.#compile(program);
      this.#pipelines.set(key, pipeline);
    }
    return pipeline;
  }

  async #compile(program: Program): Promise<GPUComputePipeline> {
    const from = this.#libraries.find(({ kernels }) => program.kernel in kernels);
    if (!from) throw new TypeError(`there is no kernel ${program.kernel}`);
    const code = shaderSource(program, from);
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
      const where = first
        ? `${locate(program, from, first.lineNum)}:${first.linePos}: ${first.message}`
        : `${cause}`;
      throw new KernelError(program.kernel, `the kernel '${program.kernel}' did not compile: ${where}`, {
        cause,
      });
    }
  }
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
