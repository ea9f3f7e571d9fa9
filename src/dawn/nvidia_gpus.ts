import { spawnSync } from "node:child_process";

/** What NVIDIA's driver says about a GPU. */
export interface NvidiaGpu {
  readonly uuid: string;
  readonly pciAddress: string;
  readonly model: string;
  /** The N of its device file, /dev/nvidiaN. */
  readonly minor: number;
}

/**
 * Reads a file /proc/driver/nvidia/gpus/ADDRESS/information of NVIDIA's driver.
 *
 * @returns undefined if it lacks something: the driver shows a UUID of question marks until it has used a GPU.
 */
export function parseInformation(text: string): NvidiaGpu | undefined {
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*$`, "m").exec(text)?.[1];
  return described(field("GPU UUID"), field("Bus Location"), field("Model"), field("Device Minor"));
}

/** Reads what `nvidia-smi -q -x` prints. GPUs that it says too little about are left out. */
export function parseNvidiaSmi(xml: string): NvidiaGpu[] {
  return [...xml.matchAll(/<gpu id="([^"]*)">(.*?)<\/gpu>/gs)].flatMap(([, address, text = ""]) => {
    const field = (name: string) => new RegExp(`<${name}>\\s*(.*?)\\s*</${name}>`).exec(text)?.[1];
    const gpu = described(field("uuid"), address, field("product_name"), field("minor_number"));
    return gpu ? [gpu] : [];
  });
}

function described(
  uuid: string | undefined,
  address: string | undefined,
  model: string | undefined,
  minor: string | undefined,
): NvidiaGpu | undefined {
  if (!uuid || !/^GPU-[0-9a-f-]+$/i.test(uuid) || !address || !model || !/^\d+$/.test(minor ?? ""))
    return undefined;
  // nvidia-smi writes eight digits of the domain, the system four.
  const pciAddress = address.toLowerCase().replace(/^0{4}(?=[0-9a-f]{4}:)/, "");
  return { uuid, pciAddress, model, minor: Number(minor) };
}

/** @returns what `nvidia-smi -q -x` prints; undefined if it does not run. It may take a second. */
export function askNvidiaSmi(): string | undefined {
  const { status, stdout } = spawnSync("nvidia-smi", ["-q", "-x"], {
    encoding: "utf8",
    timeout: 20_000,
    maxBuffer: 64 << 20,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout : undefined;
}
