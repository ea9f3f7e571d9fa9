import { deviceDescriptor } from "../core/device/descriptor.js";
import { adapterTraits, Gpu } from "../core/device/gpu.js";
import { DeviceError, InputError } from "../core/errors.js";
import { shown } from "../core/names.js";
import {
  type AdapterSummary,
  adaptersOf,
  chooseAdapter,
  chooseGpu,
  gpuSelector,
  identityText,
  noAdapterOf,
  noSuchAdapter,
  withNumbers,
} from "./choose_adapter.js";
import { embeddedDawn, notLoaded } from "./embedded.js";
import { type HostGpu, hidingLine, hostGpus } from "./host_gpus.js";
import { type ShaderCache, useShaderCache } from "./shader_cache.js";
import { loadVulkanLoader } from "./vulkan_loader.js";

/** An opened device and its adapter. */
export interface OpenedDevice {
  /** The device. `gpu.device` is the GPUDevice; `gpu.destroy()` ends it. */
  readonly gpu: Gpu;
  /** What is known about its adapter. */
  readonly adapter: AdapterSummary;
  /** Where the driver keeps compiled shaders; undefined if that is not known. */
  readonly shaderCache?: ShaderCache | undefined;
}

/** Is told why an adapter, or the embedded driver, could not be used, while others are tried. */
export type FailureListener = (failure: DeviceError) => void;

/** A function that opens the device of a selector, and returns undefined for the CPU. `openDevice` is one. */
export type OpenDevice = (selector: string, onFailure?: FailureListener) => Promise<OpenedDevice | undefined>;

type Origin = AdapterSummary["origin"];
type Dawn = typeof import("webgpu");

// A process opens one device, for with more, Dawn crashes at its end. It asks for every limit of the adapter
// (deviceDescriptor), and ends by process.exit (src/cli.ts), for Dawn may also crash as it shuts down.

/**
 * If Dawn's `create` result is garbage-collected while its adapters or devices are in use, the process
 * crashes.
 */
const keepAlive: unknown[] = [];

/**
 * Options that turn off safety measures of Dawn for web pages, which cost time here:
 * - Timestamps are rounded to 65,536 ns.
 * - Workgroup memory is zeroed before each workgroup. For 32 KiB, SwiftShader takes five seconds to compile
 *   that code. No kernel of gpusort reads workgroup memory that it did not write.
 * - Every access to a buffer or an array is clamped, which takes 5-10% of a sort on an H200 and a third on
 *   SwiftShader. Every kernel of gpusort stays within bounds; the tests run with clamps and without.
 *   GPUSORT_ROBUSTNESS=on keeps the clamps.
 */
const unclamped = process.env.GPUSORT_ROBUSTNESS === "on" ? "" : ",disable_robustness";
export const dawnOptions: readonly string[] = [
  "disable-dawn-features=timestamp_quantization",
  `enable-dawn-features=disable_workgroup_init${unclamped}`,
];

/**
 * Lists the adapters of this machine.
 *
 * @param onFailure is told if the embedded driver is installed but cannot be used.
 * @returns hardware adapters, then software adapters of the system, then the embedded software adapter. GPUs
 *   come in the order of nvidia-smi: NVIDIA's first, by their PCI addresses. Of two equal GPUs, each is listed.
 */
export async function listAdapters(onFailure?: FailureListener): Promise<AdapterSummary[]> {
  const gpus = hostGpus();
  const summaries: AdapterSummary[] = [];
  for (const origin of ["system", "embedded"] as const) {
    const dawn = await dawnFor(origin, onFailure);
    if (!dawn) continue;
    const names = await adapterNames(dawn);
    for (const { name, backend } of names) {
      if (summaries.some((known) => known.name === name && known.backend === backend)) continue;
      const adapter = await request(dawn, name);
      if (!adapter) continue;
      const count = names.filter((other) => other.name === name && other.backend === backend).length;
      const left = gpus.filter(
        ({ pciAddress }) => !summaries.some((known) => known.pciAddress === pciAddress),
      );
      const summary = summarise(adapter, origin, name, backend);
      summaries.push(...adaptersOf(summary, count, left));
    }
  }
  return withNumbers(summaries, gpus);
}

/**
 * Opens the device of the adapter that a selector chooses. "auto" opens the first adapter that works and does
 * not look for others, because asking a driver takes up to half a second. Open at most one device per
 * process: with more, Dawn crashes when the process ends.
 *
 * @param selector a selector as in `chooseAdapter`.
 * @param onFailure is told of each adapter that "auto" found and could not open, and of an embedded driver
 *   that is installed and cannot be used.
 * @returns the device; undefined for "cpu", and for "auto" if no adapter works.
 * @throws DeviceError if no adapter matches, in which case the hint lists all adapters; if the adapter does not
 *   open a device; or if the selector means one of several equal GPUs, which a process can choose only by not
 *   seeing the others. The hint says how to start it so. The command does that by itself. InputError if the
 *   selector is no string.
 */
export async function openDevice(
  selector: string,
  onFailure?: FailureListener,
): Promise<OpenedDevice | undefined> {
  if (typeof selector !== "string") {
    throw new InputError(`the selector of a device is ${shown(selector)}`, {
      hint: 'pass a string, such as "auto" or "cpu"',
    });
  }
  if (selector === "cpu") return undefined;
  if (selector === "auto") return openAny(onFailure);
  if (selector === "gpu") {
    const gpu = await openGpu();
    if (gpu) return gpu; // else all adapters are listed below, for the hint
  }
  const identity = gpuSelector(selector);
  if (identity) {
    const gpus = hostGpus();
    const gpu = chooseGpu(gpus, identity);
    if (gpu) return openHostGpu(gpu, gpus);
  }
  const failures: DeviceError[] = [];
  const adapters = await listAdapters((failure) => failures.push(failure));
  const chosen = chooseAdapter(adapters, selector);
  if (!chosen) throw noSuchAdapter(selector, adapters, failures);
  if (equalTo(chosen, adapters).length === 1) return openListed(chosen);
  const { number: _, uuid: __, pciAddress: ___, ...unknown } = chosen;
  return openListed(unknown); // nobody knows which of the equal ones Dawn takes
}

/**
 * Opens a GPU that is known by its files. Dawn chooses by the name alone, so no other may have that name. Where
 * there is one GPU, its name need not be known; but another maker's adapter is not its own.
 */
async function openHostGpu(gpu: HostGpu, gpus: readonly HostGpu[]): Promise<OpenedDevice> {
  const { uuid, pciAddress, maker } = gpu;
  if (gpus.length === 1) {
    const opened = await openGpu(({ vendor }) => vendor === maker);
    if (opened) return { ...opened, adapter: { ...opened.adapter, number: 0, uuid, pciAddress } };
  }
  const adapters = await listAdapters();
  const adapter = adapters.find((each) => each.pciAddress === pciAddress);
  if (!adapter) throw noAdapterOf(gpu);
  const equal = equalTo(adapter, adapters).length;
  if (equal === 1) return openListed(adapter);
  throw new DeviceError(
    `a process that sees ${equal} equal GPUs cannot choose ${identityText(gpu)} of them: their adapters have one name`,
    { hint: `start it so that it sees no other: ${hidingLine(gpu, gpus, "PROGRAM")}`, options: ["device"] },
  );
}

/** The adapters that Dawn may take for one, as it looks for its name in theirs. */
function equalTo({ name }: AdapterSummary, adapters: readonly AdapterSummary[]): AdapterSummary[] {
  return adapters.filter((other) => other.name.includes(name));
}

async function openListed(listed: AdapterSummary): Promise<OpenedDevice> {
  const dawn = await dawnFor(listed.origin);
  const adapter = dawn && (await request(dawn, listed.name));
  if (!adapter) throw new DeviceError(`the adapter '${listed.name}' is no longer available`);
  return open(adapter, listed);
}

/**
 * Opens a GPU of this machine, and asks for no other adapter.
 *
 * @param accepts whether the GPU is to be opened. Default: any is.
 * @returns undefined if there is none, or if it is not accepted.
 * @throws DeviceError if Dawn does not load, or if the GPU does not open a device.
 */
export async function openGpu(
  accepts: (adapter: AdapterSummary) => boolean = () => true,
): Promise<OpenedDevice | undefined> {
  const dawn = await dawnFor("system");
  const first = dawn && (await request(dawn)); // Dawn names a GPU first
  if (!first || first.info.isFallbackAdapter) return undefined;
  const summary = summariseFirst(first, "system");
  return accepts(summary) ? open(first, summary) : undefined;
}

async function openAny(onFailure?: FailureListener): Promise<OpenedDevice | undefined> {
  for (const origin of ["system", "embedded"] as const) {
    try {
      const dawn = await dawnFor(origin, onFailure);
      const adapter = dawn && (await request(dawn));
      if (!adapter) continue;
      return await open(adapter, summariseFirst(adapter, origin));
    } catch (failure) {
      onFailure?.(failure as DeviceError);
    }
  }
  return undefined;
}

/**
 * Loads the Dawn that finds adapters of an origin. Without a Vulkan loader, Dawn prints a complaint to stderr,
 * so the system's is loaded only where there is one.
 *
 * @returns undefined where there can be no such adapter.
 * @throws DeviceError if the system's does not load.
 */
async function dawnFor(origin: Origin, onFailure?: FailureListener): Promise<Dawn | undefined> {
  if (origin === "system") {
    if (process.platform === "linux" && !loadVulkanLoader()) return undefined;
    useShaderCache();
    // The package has a library for each platform. It does not load if there is none for this one.
    return import("webgpu").catch(notLoaded);
  }
  try {
    return await embeddedDawn();
  } catch (failure) {
    onFailure?.(failure as DeviceError);
    return undefined;
  }
}

async function request(dawn: Dawn, name?: string): Promise<GPUAdapter | null> {
  const gpu = dawn.create([...dawnOptions, ...(name === undefined ? [] : [`adapter=${name}`])]);
  keepAlive.push(gpu);
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  keepAlive.push(adapter);
  return adapter;
}

/** Dawn has no call that lists adapters. But its error for an unknown adapter name lists all of them. */
async function adapterNames(dawn: Dawn): Promise<{ name: string; backend: string }[]> {
  try {
    await request(dawn, "no adapter has this name");
  } catch (error) {
    const listed = (error as Error).message.matchAll(/backend: '([^']*)', name: '(.*)'$/gm);
    return [...listed].map(([, backend = "", name = ""]) => ({ backend, name }));
  }
  return [];
}

/** What is known about an adapter that was not chosen by its name. */
function summariseFirst(adapter: GPUAdapter, origin: Origin): AdapterSummary {
  return summarise(adapter, origin, adapter.info.device.replace(/-$/, ""), "");
}

function summarise(adapter: GPUAdapter, origin: Origin, name: string, backend: string): AdapterSummary {
  const { info } = adapter;
  const { limits: _, lockstep: __, ...traits } = adapterTraits(adapter.limits, info);
  return {
    ...traits,
    subgroups: adapter.features.has("subgroups"),
    name,
    backend,
    vendor: info.vendor,
    architecture: info.architecture,
    driver: info.description,
    origin,
    limits: deviceDescriptor(adapter).requiredLimits,
    features: [...adapter.features].sort(),
  };
}

async function open(adapter: GPUAdapter, summary: AdapterSummary): Promise<OpenedDevice> {
  try {
    const device = await adapter.requestDevice(deviceDescriptor(adapter));
    keepAlive.push(device);
    return { gpu: new Gpu(device), adapter: summary, shaderCache: useShaderCache() };
  } catch (cause) {
    const [problem] = (cause as Error).message.split("\n");
    throw new DeviceError(`the adapter '${summary.name}' did not open a device: ${problem}`, { cause });
  }
}
