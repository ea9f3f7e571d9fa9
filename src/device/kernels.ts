import { KernelError } from "../errors.js";
import type { BindingKind, Program, TextureFormat } from "../plan/plan.js";
import { kernelSources, moduleSources } from "../wgsl.generated.js";
import { unroll } from "./unroll.js";
import { ShaderStage } from "./usage.js";

/** A stretch of a composed shader that came from one place. */
interface Part {
  readonly name: string;
  readonly text: string;
}

function parts({ kernel, uses, constants, enables = [] }: Program): Part[] {
  // Subgroup operations stand where the kernel's own constants make flow uniform, which WGSL's analysis cannot see.
  const extensions = enables.map((name) => `enable ${name};\ndiagnostic(off, subgroup_uniformity);\n`);
  const prelude = Object.entries(constants).map(([name, value]) => `const ${name}: u32 = ${value}u;\n`);
  return [
    { name: "constants", text: [...extensions, ...prelude].join("") },
    ...uses.map((name) => ({
      name: `wgsl/shared/${name}.wgsl`,
      text: unroll(moduleSources[name], constants),
    })),
    { name: `wgsl/${kernel}.wgsl`, text: unroll(kernelSources[kernel], constants) },
  ];
}

/** The WGSL of a program: its constants, its shared files, its kernel. */
export function shaderSource(program: Program): string {
  return parts(program)
    .map(({ text }) => text)
    .join("");
}

/** Turns a line of the composed source into "file:line". */
function locate(program: Program, line: number): string {
  let before = 0;
  for (const { name, text } of parts(program)) {
    const lines = text.split("\n").length - 1;
    if (line <= before + lines) return `${name}:${line - before}`;
    before += lines;
  }
  return `line ${line}`;
}

/** Compiles programs for one device, each once. */
export class KernelCache {
  readonly #device: GPUDevice;
  readonly #pipelines = new Map<string, Promise<GPUComputePipeline>>();

  constructor(device: GPUDevice) {
    this.#device = device;
  }

  /** @throws KernelError with the file and line of the first complaint. */
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
    // The scope keeps a failed module from also being reported as an uncaptured error.
    this.#device.pushErrorScope("validation");
    const module = this.#device.createShaderModule({ label: program.kernel, code: shaderSource(program) });
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
        ? `${locate(program, first.lineNum)}:${first.linePos}: ${first.message}`
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
