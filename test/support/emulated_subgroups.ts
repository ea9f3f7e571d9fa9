import { Gpu } from "../../src/core/device/gpu.js";

/**
 * Subgroups that a device is made to have: WGSL expressions of `invocation`, the number of an invocation in its
 * workgroup of WORKGROUP_SIZE.
 */
export interface EmulatedSubgroups {
  /** The number of the invocation's subgroup. */
  readonly subgroup: string;
  /** The number of the invocation in its subgroup. */
  readonly lane: string;
}

/** Subgroups of `size` neighbouring invocations, in their order. */
export function plainSubgroups(size: number): EmulatedSubgroups {
  return { subgroup: `invocation / ${size}u`, lane: `invocation % ${size}u` };
}

/**
 * A device whose kernels run with other subgroups than its own: their subgroup operations become functions that
 * use workgroup memory and barriers. All invocations of a workgroup must call them together.
 */
export function emulatingGpu(gpu: Gpu, subgroups: EmulatedSubgroups): Gpu {
  return rewritingGpu(gpu, (code) => emulated(code, subgroups));
}

/** The device, whose kernels are rewritten before they are compiled. */
export function rewritingGpu(gpu: Gpu, rewrite: (code: string) => string): Gpu {
  const { device } = gpu;
  return fakedGpu(gpu, {
    createShaderModule: ({ code, ...rest }) => device.createShaderModule({ ...rest, code: rewrite(code) }),
  });
}

/** A hardware device, as far as it tells, that says its subgroups have these sizes. */
export function claimingGpu(gpu: Gpu, subgroupMinSize: number, subgroupMaxSize: number, pins = false): Gpu {
  const { limits, features } = gpu.device;
  const adapterInfo = { vendor: "nvidia", isFallbackAdapter: false, subgroupMinSize, subgroupMaxSize };
  const told = [...features].filter((name) => pins || name !== "subgroup-size-control");
  return fakedGpu(gpu, {
    limits,
    adapterInfo: adapterInfo as GPUAdapterInfo,
    features: new Set(told) as GPUSupportedFeatures,
  });
}

/** The device, some of whose members are others. */
function fakedGpu({ device }: Gpu, faked: Partial<GPUDevice>): Gpu {
  const wrapped = new Proxy(device, {
    get(target, name) {
      if (name in faked) return faked[name as keyof GPUDevice];
      const value = Reflect.get(target, name, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
    set: (target, name, value) => Reflect.set(target, name, value, target),
  });
  return new Gpu(wrapped, { shared: true });
}

const operations = ["Ballot", "BroadcastFirst", "Shuffle", "ExclusiveAdd", "Add", "Max", "Or", "Elect"];

function emulated(code: string, subgroups: EmulatedSubgroups): string {
  if (!code.includes("enable subgroups;")) return code;
  const called = new RegExp(`\\bsubgroup(${operations.join("|")})\\(`, "g");
  const invocation = /@builtin\(local_invocation_index\) (\w+)/.exec(code)![1];
  return (
    code
      .replace("enable subgroups;\n", "")
      .replace("diagnostic(off, subgroup_uniformity);\n", "")
      .replace(called, "emulated_$1(")
      .replace(/fn main\([^{]*\{/, (head) => `${head} emulated_invocation = ${invocation};`) +
    functions(subgroups)
  );
}

const functions = ({ subgroup, lane }: EmulatedSubgroups) => `
var<private> emulated_invocation: u32;
var<workgroup> emulated_words: array<u32, WORKGROUP_SIZE>;
fn emulated_subgroup(invocation: u32) -> u32 { return ${subgroup}; }
fn emulated_lane(invocation: u32) -> u32 { return ${lane}; }
fn emulated_share(value: u32) {
  workgroupBarrier();
  emulated_words[emulated_invocation] = value;
  workgroupBarrier();
}
fn emulated_is_own(other: u32) -> bool {
  return emulated_subgroup(other) == emulated_subgroup(emulated_invocation);
}
fn emulated_Ballot(is_set: bool) -> vec4u {
  emulated_share(select(0u, 1u, is_set));
  var lanes = vec4u(0u);
  for (var i = 0u; i < WORKGROUP_SIZE; i++) {
    let at = emulated_lane(i);
    if emulated_is_own(i) && emulated_words[i] == 1u { lanes[at / 32u] |= 1u << (at % 32u); }
  }
  return lanes;
}
fn emulated_Shuffle(value: u32, wanted: u32) -> u32 {
  emulated_share(value);
  for (var i = 0u; i < WORKGROUP_SIZE; i++) {
    if emulated_is_own(i) && emulated_lane(i) == wanted { return emulated_words[i]; }
  }
  return 0xdeadbeefu;
}
fn emulated_BroadcastFirst(value: u32) -> u32 { return emulated_Shuffle(value, 0u); }
fn emulated_Elect() -> bool { return emulated_lane(emulated_invocation) == 0u; }
fn emulated_sum(value: u32, end: u32) -> u32 {
  emulated_share(value);
  var sum = 0u;
  for (var i = 0u; i < WORKGROUP_SIZE; i++) {
    if emulated_is_own(i) && emulated_lane(i) < end { sum += emulated_words[i]; }
  }
  return sum;
}
fn emulated_ExclusiveAdd(value: u32) -> u32 { return emulated_sum(value, emulated_lane(emulated_invocation)); }
fn emulated_Add(value: u32) -> u32 { return emulated_sum(value, WORKGROUP_SIZE); }
fn emulated_Max(value: u32) -> u32 {
  emulated_share(value);
  var most = 0u;
  for (var i = 0u; i < WORKGROUP_SIZE; i++) {
    if emulated_is_own(i) { most = max(most, emulated_words[i]); }
  }
  return most;
}
fn emulated_Or(value: u32) -> u32 {
  emulated_share(value);
  var bits = 0u;
  for (var i = 0u; i < WORKGROUP_SIZE; i++) {
    if emulated_is_own(i) { bits |= emulated_words[i]; }
  }
  return bits;
}
`;
