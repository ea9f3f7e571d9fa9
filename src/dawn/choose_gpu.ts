import { DeviceError } from "../core/errors.js";
import type { GpuIdentity } from "./host_gpus.js";

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
