import { DeviceError } from "../errors.js";
import type { Limits } from "../plan/grid.js";
import type { DeviceTraits } from "../plan/traits.js";
import { embeddedDriver, enable, systemHasVulkanLoader } from "./embedded.js";
import { adapterTraits, Gpu } from "./gpu.js";
import { quietly } from "./quiet.js";

/** What there is to know of an adapter without opening it. */
export interface AdapterSummary extends Omit<DeviceTraits, "lockstep"> {
  /** Dawn's name for it, by which it can be chosen. */
  readonly name: string;
  readonly backend: string;
  readonly vendor: string;
  readonly architecture: string;
  /** The driver, as it describes itself. */
  readonly driver: string;
  /** Whether it came with an npm package or with the system. */
  readonly origin: "system" | "embedded";
  readonly features: readonly string[];
}

/** An opened device and the adapter that it is of. */
export interface OpenedDevice {
  readonly gpu: Gpu;
  readonly adapter: AdapterSummary;
}

type Origin = AdapterSummary["origin"];
type Dawn = typeof import("webgpu");

/** Collecting what `create` returned ends the process while anything of it still lives. */
const keepAlive: unknown[] = [];

/**
 * What Dawn does for the safety of web pages, and costs here. Timestamps are rounded to 65,536 ns. Workgroup memory
 * is zeroed before each workgroup, by code so long that SwiftShader compiles 32 KiB of it for five seconds; no
 * kernel here reads workgroup memory that it did not write. Every access to a buffer or an array is clamped, which
 * takes 5-10% of a sort on an H200 and a third on SwiftShader; every kernel here stays within its bounds, and the
 * tests run with clamps and without. GPUSORT_ROBUSTNESS=on keeps them.
 */
const unclamped = process.env.GPUSORT_ROBUSTNESS === "on" ? "" : ",disable_robustness";
export const dawnOptions: readonly string[] = [
  "disable-dawn-features=timestamp_quantization",
  `enable-dawn-features=disable_workgroup_init${unclamped}`,
];

/** Every limit that plans or engines look at is asked for at its best: the defaults are far lower. */
const wantedLimits = [
  "maxComputeInvocationsPerWorkgroup",
  "maxComputeWorkgroupSizeX",
  "maxComputeWorkgroupSizeY",
  "maxComputeWorkgroupSizeZ",
  "maxComputeWorkgroupStorageSize",
  "maxComputeWorkgroupsPerDimension",
  "maxStorageBufferBindingSize",
  "maxBufferSize",
  "maxTextureDimension2D",
] as const satisfies readonly (keyof Limits)[];

const wantedFeatures = ["timestamp-query", "subgroups"] as const;

/** All adapters of this machine, hardware first and embedded last, best first by each driver's own word. */
export function listAdapters(): Promise<AdapterSummary[]> {
  return quietly(findAdapters);
}

async function findAdapters(): Promise<AdapterSummary[]> {
  const found: AdapterSummary[] = [];
  for (const origin of ["system", "embedded"] as const) {
    if (!canLookFor(origin)) continue;
    const dawn = await import("webgpu");
    for (const { name, backend } of await adapterNames(dawn)) {
      if (found.some((known) => known.name === name && known.backend === backend)) continue;
      const adapter = await request(dawn, name);
      if (adapter) found.push(summarise(adapter, origin, name, backend));
    }
  }
  const rank = ({ software, origin }: AdapterSummary) => (!software ? 0 : origin === "system" ? 1 : 2);
  return found.sort((a, b) => rank(a) - rank(b));
}

/**
 * The one of `adapters` (as `listAdapters` orders them) that a `--device` selector means.
 *
 * @param selector auto, gpu (hardware), software, or a part of an adapter's name or driver in any case.
 * @returns undefined if there is none, or if the selector is "cpu", which is no adapter.
 */
export function chooseAdapter(
  adapters: readonly AdapterSummary[],
  selector: string,
): AdapterSummary | undefined {
  switch (selector) {
    case "auto":
      return adapters[0];
    case "gpu":
      return adapters.find((adapter) => !adapter.software);
    case "software":
      return adapters.find((adapter) => adapter.software);
    case "cpu":
      return undefined;
    default: {
      const part = selector.toLowerCase();
      return adapters.find(({ name, driver, vendor, architecture }) =>
        [name, driver, vendor, architecture].some((text) => text.toLowerCase().includes(part)),
      );
    }
  }
}

/**
 * Opens the device that a selector means: for auto without looking further than it must, since asking a
 * driver costs up to half a second. One device a process: more of them crash Dawn when it ends.
 *
 * @returns undefined for "cpu", and for "auto" where there is no adapter.
 * @throws DeviceError if the selector asks for an adapter that is not there; the hint names those that are.
 */
export function openDevice(selector: string): Promise<OpenedDevice | undefined> {
  return quietly(() => findDevice(selector));
}

async function findDevice(selector: string): Promise<OpenedDevice | undefined> {
  if (selector === "cpu") return undefined;
  if (selector === "auto") {
    for (const origin of ["system", "embedded"] as const) {
      if (!canLookFor(origin)) continue;
      const adapter = await request(await import("webgpu"));
      if (!adapter) continue;
      const opened = await open(
        adapter,
        summarise(adapter, origin, adapter.info.device.replace(/-$/, ""), ""),
      ).catch(() => undefined);
      if (opened) return opened;
    }
    return undefined;
  }
  const adapters = await findAdapters();
  const chosen = chooseAdapter(adapters, selector);
  if (!chosen) throw noSuchAdapter(selector, adapters);
  const adapter = await request(await import("webgpu"), chosen.name);
  if (!adapter) throw new DeviceError(`the adapter '${chosen.name}' went away`);
  return open(adapter, chosen);
}

function noSuchAdapter(selector: string, adapters: readonly AdapterSummary[]): DeviceError {
  const wanted =
    { gpu: "no hardware GPU", software: "no software adapter" }[selector] ?? `no adapter like '${selector}'`;
  const names = adapters.map(({ name, software }) => `${name} (${software ? "software" : "hardware"})`);
  const hint =
    names.length > 0
      ? `there is ${names.join(", ")}; choose with --device, or --device cpu`
      : "install a GPU driver, or the npm package @sparticuz/chromium for a software adapter (linux-x64), or use --device cpu";
  return new DeviceError(`${wanted} was found`, { hint });
}

/** Dawn complains on stderr when it finds no Vulkan loader, so it is not asked then. */
function canLookFor(origin: Origin): boolean {
  if (origin === "system") return process.platform !== "linux" || systemHasVulkanLoader();
  const driver = embeddedDriver();
  if (driver) enable(driver);
  return driver !== undefined;
}

async function request(dawn: Dawn, name?: string): Promise<GPUAdapter | null> {
  const gpu = dawn.create([...dawnOptions, ...(name === undefined ? [] : [`adapter=${name}`])]);
  keepAlive.push(gpu);
  const adapter = await gpu.requestAdapter({ powerPreference: "high-performance" });
  keepAlive.push(adapter);
  return adapter;
}

/** Dawn has no call for this; but asked for an adapter that cannot be, its error names those that are. */
async function adapterNames(dawn: Dawn): Promise<{ name: string; backend: string }[]> {
  try {
    await request(dawn, "no adapter has this name");
  } catch (error) {
    const listed = (error as Error).message.matchAll(/backend: '([^']*)', name: '(.*)'$/gm);
    return [...listed].map(([, backend = "", name = ""]) => ({ backend, name }));
  }
  return [];
}

function summarise(adapter: GPUAdapter, origin: Origin, name: string, backend: string): AdapterSummary {
  const { info } = adapter;
  const { limits, lockstep: _, ...traits } = adapterTraits(adapter.limits, info);
  return {
    ...traits,
    subgroups: adapter.features.has("subgroups"),
    name,
    backend,
    vendor: info.vendor,
    architecture: info.architecture,
    driver: info.description,
    origin,
    limits: Object.fromEntries(wantedLimits.map((limit) => [limit, limits[limit]])) as unknown as Limits,
    features: [...adapter.features].sort(),
  };
}

async function open(adapter: GPUAdapter, summary: AdapterSummary): Promise<OpenedDevice> {
  try {
    const device = await adapter.requestDevice({
      requiredFeatures: wantedFeatures.filter((feature) => adapter.features.has(feature)),
      requiredLimits: { ...summary.limits },
    });
    keepAlive.push(device);
    return { gpu: new Gpu(device), adapter: summary };
  } catch (cause) {
    throw new DeviceError(`the adapter '${summary.name}' gave no device: ${(cause as Error).message}`, {
      cause,
    });
  }
}
