/** What happens at a call: the device is lost, or it has no memory for the call. */
export type DeviceFault = "lost" | "out of memory";

/**
 * The pipelines of each real device, by the WGSL that they are compiled from. A software adapter takes most of
 * the time of a small sort to compile its kernels, and each faulty device compiles the same ones.
 */
const compiled = new WeakMap<GPUDevice, Map<string, Promise<GPUComputePipeline>>>();

/** The WGSL of modules. */
const codeOf = new WeakMap<GPUShaderModule, string>();

/** A pipeline that was compiled from the same WGSL, or a new one. */
function pipelineOf(real: GPUDevice, descriptor: GPUComputePipelineDescriptor): Promise<GPUComputePipeline> {
  const { layout, compute } = descriptor;
  const code = codeOf.get(compute.module);
  if (layout !== "auto" || compute.constants || code === undefined)
    return real.createComputePipelineAsync(descriptor);
  const pipelines = compiled.get(real) ?? new Map<string, Promise<GPUComputePipeline>>();
  compiled.set(real, pipelines);
  const key = `${compute.entryPoint}\n${code}`;
  const pipeline = pipelines.get(key) ?? real.createComputePipelineAsync(descriptor);
  pipelines.set(key, pipeline);
  return pipeline;
}

/**
 * A real device whose calls are counted. One of them fails as it would on a faulty device: an error goes to
 * the error scope around the call or, without a scope, to the device's handler, and buffers of a lost device
 * cannot be mapped.
 *
 * @param flip receives what is read back from the device, and may change it.
 * @param rewrite changes the WGSL of kernels.
 */
export function faultyDevice(
  real: GPUDevice,
  fault?: { readonly kind: DeviceFault; readonly at: number },
  flip?: (window: Uint8Array, label: string) => void,
  rewrite?: (wgsl: string) => string,
) {
  const calls: string[] = [];
  const scopes: { filter: GPUErrorFilter; error: { message: string } | null }[] = [];
  let isLost = false;
  let lose!: (info: { reason: string; message: string }) => void;
  const lost = new Promise((resolve) => {
    lose = resolve;
  });

  const happens = (name: string) => {
    if (calls.push(name) - 1 !== fault?.at) return;
    if (fault.kind === "lost") {
      isLost = true;
      lose({ reason: "unknown", message: "injected" });
      return;
    }
    const scope = scopes.findLast(({ filter }) => filter === "out-of-memory");
    if (scope) scope.error ??= { message: "injected" };
    else device.onuncapturederror?.({ error: { message: "injected" } } as GPUUncapturedErrorEvent);
  };
  const counted = <T extends object>(
    target: T,
    names: readonly (keyof T & string)[],
    more: Partial<T> = {},
  ): T =>
    new Proxy(target, {
      get(_, name) {
        if (name in more) return more[name as keyof T];
        const value = target[name as keyof T];
        if (typeof value !== "function") return value;
        const isCounted = (names as readonly (string | symbol)[]).includes(name);
        return (...args: unknown[]) => {
          if (isCounted) happens(String(name));
          return value.apply(target, args);
        };
      },
      set(_, name, value) {
        Object.assign(more, { [name]: value });
        return true;
      },
    });

  const createBuffer = (descriptor: GPUBufferDescriptor): GPUBuffer => {
    happens("createBuffer");
    const buffer = real.createBuffer(descriptor);
    const mapAsync = buffer.mapAsync.bind(buffer);
    const getMappedRange = buffer.getMappedRange.bind(buffer);
    // Native calls do not accept proxies of buffers, so the buffer itself is changed.
    return Object.assign(buffer, {
      mapAsync: async (mode: number) => {
        happens("mapAsync");
        await mapAsync(mode);
        if (isLost) throw new Error("the buffer belongs to a lost device");
      },
      getMappedRange: () => {
        const range = getMappedRange();
        if (!flip || (descriptor.usage & GPUBufferUsageMapRead) === 0) return range;
        const copy = range.slice(0);
        flip(new Uint8Array(copy), descriptor.label ?? "");
        return copy;
      },
    });
  };
  const queue = counted(real.queue, ["submit", "onSubmittedWorkDone"]);
  const device: GPUDevice = counted(real, ["createBindGroup", "createCommandEncoder", "createQuerySet"], {
    lost: lost as Promise<GPUDeviceLostInfo>,
    queue,
    createBuffer: createBuffer as GPUDevice["createBuffer"],
    createShaderModule: (descriptor: GPUShaderModuleDescriptor) => {
      happens("createShaderModule");
      const code = rewrite ? rewrite(descriptor.code) : descriptor.code;
      const module = real.createShaderModule({ ...descriptor, code });
      codeOf.set(module, code);
      return module;
    },
    createComputePipelineAsync: (descriptor: GPUComputePipelineDescriptor) => {
      happens("createComputePipelineAsync");
      return pipelineOf(real, descriptor);
    },
    destroy: () => undefined,
    pushErrorScope: (filter: GPUErrorFilter) => {
      scopes.push({ filter, error: null });
      return undefined;
    },
    popErrorScope: async () => scopes.pop()!.error as GPUError | null,
  });
  return { device, calls };
}

const GPUBufferUsageMapRead = 1;
