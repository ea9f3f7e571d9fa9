import { DeviceError } from "../core/errors.js";
import { nearestName, ownProperty } from "../core/names.js";
import type { DeviceTraits } from "../core/plan/traits.js";
import { packageToInstall } from "../optional_packages.js";
import type { GpuIdentity, HostGpu } from "./host_gpus.js";

/**
 * What is known about an adapter before it is opened. It has an identity if it is known which of this machine's
 * GPUs it is; on Linux only.
 */
export interface AdapterSummary
  extends Omit<DeviceTraits, "lockstep" | "parallelProgress">,
    Partial<GpuIdentity> {
  /** Its number in the list of `listAdapters`, by which a selector can choose it. */
  readonly number?: number | undefined;
  /** The adapter's name in Dawn. A selector can choose an adapter by its name. */
  readonly name: string;
  /** The graphics API behind the adapter, by Dawn's name for it; empty if it is not known. */
  readonly backend: string;
  /** The maker, as WebGPU names it: "nvidia", say; empty if it is not known. */
  readonly vendor: string;
  /** The kind of processor, as WebGPU names it: "hopper", say; empty if it is not known. */
  readonly architecture: string;
  /** The driver's description of itself. */
  readonly driver: string;
  /** "system" for a driver of the system, "embedded" for the driver of an npm package. */
  readonly origin: "system" | "embedded";
  /** The names of its WebGPU features, sorted. */
  readonly features: readonly string[];
}

/**
 * Chooses the first adapter that matches a selector.
 *
 * @param adapters the adapters in the order of `listAdapters`.
 * @param selector "auto" (any), "gpu" (hardware), "software", "cpu" (none); "uuid:GPU-8f3c" (or any beginning
 *   of the UUID that no other GPU has) or "pci:0000:19:00.0"; an adapter's number in the list; or a part of its
 *   name, in upper or lower case. A selector without a letter must be a whole word of the name: "4090" matches
 *   "RTX 4090", but "7" does not match "llvmpipe (LLVM 15.0.7)".
 * @returns the adapter; undefined if none matches, or if the selector is "cpu".
 * @throws DeviceError if no adapter has the UUID or the PCI address, or if several UUIDs begin so.
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
    default:
      return byIdentity(adapters, selector) ?? byName(adapters, selector);
  }
}

function byIdentity(adapters: readonly AdapterSummary[], selector: string): AdapterSummary | undefined {
  const identity = gpuSelector(selector);
  if (identity?.by === "number") return adapters.find((adapter) => adapter.number === identity.number);
  return identity && chooseGpu(adapters.filter(hasIdentity), identity);
}

const hasIdentity = (adapter: AdapterSummary): adapter is AdapterSummary & GpuIdentity =>
  adapter.pciAddress !== undefined;

function byName(adapters: readonly AdapterSummary[], selector: string): AdapterSummary | undefined {
  return adapters.find(({ name }) => matches(name.toLowerCase(), selector.toLowerCase()));
}

function matches(name: string, part: string): boolean {
  return /\p{L}/u.test(part) ? name.includes(part) : part !== "" && name.split(/[\s(),]+/).includes(part);
}

/** The error for a selector that chooses none of the adapters. Its hint lists them. */
export function noSuchAdapter(
  selector: string,
  adapters: readonly AdapterSummary[],
  failures: readonly DeviceError[] = [],
): DeviceError {
  const isNumber = gpuSelector(selector)?.by === "number";
  const missing =
    ownProperty({ gpu: "no hardware GPU", software: "no software adapter" }, selector) ??
    (isNumber ? `no adapter ${selector} in the list of gpusort devices` : `no adapter like '${selector}'`);
  const words = adapters.flatMap(({ name, vendor }) => [...name.split(/\W+/), vendor]);
  const isFigure = /^[-+]?\d*\.?\d+$/.test(selector);
  const nearest = isFigure ? undefined : nearestName(selector, ["auto", "gpu", "software", "cpu", ...words]);
  const question = nearest === undefined || nearest === selector ? "" : `did you mean ${nearest}? `;
  const whole = isFigure && /\D/.test(selector) ? "the number of a device is a whole number from 0 on; " : "";
  const hint =
    whole + question + [...toInstall(selector, adapters), `choose ${selectors(adapters)}`].join(", or ");
  const message = [`${missing} was found`, ...failures.map((failure) => failure.message)].join("; ");
  return new DeviceError(message, { hint, options: ["device"] });
}

/** The error for a GPU that no adapter belongs to. */
export function noAdapterOf(gpu: GpuIdentity): DeviceError {
  return new DeviceError(`no Vulkan driver offers the GPU ${identityText(gpu)}`, {
    hint: "install the Vulkan part of its driver, or choose another device; gpusort devices lists them",
    options: ["device"],
  });
}

function toInstall(selector: string, adapters: readonly AdapterSummary[]): string[] {
  // The package has a software adapter, which does not help who asks for a GPU.
  if (selector === "gpu") return ["install the driver of a GPU"];
  if (adapters.length > 0) return [];
  const name = packageToInstall("@sparticuz/chromium");
  return [`install a GPU driver, or the npm package ${name} for a software adapter (linux-x64)`];
}

/** What can be selected here: "auto, software, cpu, or a part of a name: SwiftShader (software)". */
function selectors(adapters: readonly AdapterSummary[]): string {
  if (adapters.length === 0) return "auto or cpu";
  const kinds = [
    ...(adapters.some(({ software }) => !software) ? ["gpu"] : []),
    ...(adapters.some(({ software }) => software) ? ["software"] : []),
  ];
  const names = adapters.map(({ number, name, software }) =>
    `${number ?? ""} ${name} (${software ? "software" : "hardware"})`.trim(),
  );
  return `auto, ${kinds.join(", ")}, cpu, or one by its number or a part of its name: ${names.join(", ")}`;
}

/**
 * The adapters of equal GPUs, which Dawn shows by one name and one set of traits.
 *
 * @param adapter what they all are, without an identity.
 * @param count how many Dawn shows.
 * @param gpus the GPUs of this machine.
 * @returns an adapter for each GPU, with its identity where that is certain.
 */
export function adaptersOf(
  adapter: AdapterSummary,
  count: number,
  gpus: readonly HostGpu[],
): AdapterSummary[] {
  if (adapter.software) return [adapter];
  const ofMaker = gpus.filter(({ maker }) => maker === adapter.vendor);
  const named = ofMaker.filter(({ model }) => model === adapter.name);
  const own = named.length > 0 ? named : ofMaker.length === count ? ofMaker : [];
  if (own.length === 0) return Array.from({ length: count }, () => adapter);
  return own.map(({ uuid, pciAddress }) => ({ ...adapter, uuid, pciAddress }));
}

/**
 * Sorts and numbers adapters: those of the GPUs that are known by their files have their GPU's number, also if
 * not all GPUs have an adapter; then other hardware, software of the system, and the embedded one.
 */
export function withNumbers(adapters: readonly AdapterSummary[], gpus: readonly HostGpu[]): AdapterSummary[] {
  const place = ({ pciAddress }: AdapterSummary) => gpus.findIndex((gpu) => gpu.pciAddress === pciAddress);
  const rank = ({ software, origin }: AdapterSummary) => (!software ? 0 : origin === "system" ? 1 : 2);
  const known = adapters.filter(hasIdentity).map((adapter) => ({ ...adapter, number: place(adapter) }));
  const others = adapters
    .filter((adapter) => !hasIdentity(adapter))
    .sort((a, b) => rank(a) - rank(b))
    .map((adapter, i) => ({ ...adapter, number: gpus.length + i }));
  return [...known.sort((a, b) => a.number - b.number), ...others];
}

/** A text that chooses a GPU by its identity: by its UUID, by its PCI address, or by its number in the list. */
export type GpuSelector =
  | { readonly by: "uuid"; readonly prefix: string }
  | { readonly by: "pci"; readonly address: string }
  | { readonly by: "number"; readonly number: number };

/**
 * Reads a selector of one GPU: "uuid:GPU-8f3c", "GPU-8f3c" as nvidia-smi prints it, "pci:0000:19:00.0", or "0".
 *
 * @returns undefined for any other selector.
 */
export function gpuSelector(selector: string): GpuSelector | undefined {
  const [, uuid] = /^uuid:(.*)$/i.exec(selector) ?? /^(GPU-.*)$/i.exec(selector) ?? [];
  if (uuid !== undefined) return { by: "uuid", prefix: uuid };
  const [, address] = /^pci:(.*)$/i.exec(selector) ?? [];
  if (address !== undefined) return { by: "pci", address };
  if (/^\d{1,4}$/.test(selector)) return { by: "number", number: Number(selector) };
  return undefined;
}

/**
 * Finds the GPU that a selector means.
 *
 * @param gpus the GPUs in the order of their numbers.
 * @returns undefined for a number beyond the list: software adapters follow there, and a number may also be a
 *   word of a name.
 * @throws DeviceError if no GPU has this UUID or address, or if several UUIDs begin so. It lists the GPUs.
 */
export function chooseGpu<Gpu extends GpuIdentity>(
  gpus: readonly Gpu[],
  selector: GpuSelector,
): Gpu | undefined {
  if (selector.by === "number") return gpus[selector.number];
  const isUuid = selector.by === "uuid";
  const prefix = (isUuid ? selector.prefix : selector.address).toLowerCase();
  const matching = gpus.filter(({ uuid, pciAddress }) =>
    isUuid
      ? [uuid?.toLowerCase(), uuid?.toLowerCase().replace(/^gpu-/, "")].some((each) =>
          each?.startsWith(prefix),
        )
      : [pciAddress, pciAddress.replace(/^0000:/, "")].includes(prefix),
  );
  if (matching.length === 1) return matching[0];
  const name = isUuid
    ? `whose UUID begins with '${selector.prefix}'`
    : `at the PCI address '${selector.address}'`;
  const message =
    matching.length === 0
      ? `there is no GPU ${name} that this process may open`
      : `there are ${matching.length} GPUs ${name}`;
  throw new DeviceError(message, {
    hint: listed(matching.length === 0 ? gpus : matching),
    options: ["device"],
  });
}

function listed(gpus: readonly GpuIdentity[]): string {
  if (gpus.length === 0)
    return "this process may open no GPU: choose an adapter that gpusort devices lists, or cpu";
  return `choose one of ${gpus.map(identityText).join(", ")}`;
}

/** The selector that chooses a GPU whatever others there are. */
export function identityText({ uuid, pciAddress }: GpuIdentity): string {
  return uuid === undefined ? `pci:${pciAddress}` : `uuid:${uuid}`;
}
