/**
 * Types of WebGPU, of WebAssembly and of the web that declarations of the library name: those of lib dom, of
 * `@webgpu/types` or of `@types/node`, if a program has them. Without these, as in a program that sorts on the
 * CPU, they are `any`, so that the declarations hold all the same.
 */
type Instance<Name extends string, Scope = typeof globalThis> = Scope extends {
  [K in Name]: { prototype: infer Type };
}
  ? Type
  : // biome-ignore lint/suspicious/noExplicitAny: nothing is known of the type
    any;

type WebAssemblyScope = typeof globalThis extends { WebAssembly: infer Scope } ? Scope : unknown;

export type AbortSignal = Instance<"AbortSignal">;
export type GPUAdapter = Instance<"GPUAdapter">;
export type GPUAdapterInfo = Instance<"GPUAdapterInfo">;
export type GPUBuffer = Instance<"GPUBuffer">;
export type GPUCommandEncoder = Instance<"GPUCommandEncoder">;
export type GPUComputePassEncoder = Instance<"GPUComputePassEncoder">;
export type GPUComputePipeline = Instance<"GPUComputePipeline">;
export type GPUDevice = Instance<"GPUDevice">;
export type GPUTexture = Instance<"GPUTexture">;
export type WebAssemblyMemory = Instance<"Memory", WebAssemblyScope>;
export type WebAssemblyModule = Instance<"Module", WebAssemblyScope>;
/** Not the global type of this name, as a program without types of WebGPU has none. */
export type GPUFeatureName = GPUAdapter extends {
  requestDevice(descriptor?: { requiredFeatures?: Iterable<infer Name> }): unknown;
}
  ? Name
  : never;
