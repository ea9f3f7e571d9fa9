import { spawnSync } from "node:child_process";
import {
  accessSync,
  constants,
  existsSync,
  readdirSync,
  readFileSync,
  realpathSync,
  statSync,
} from "node:fs";
import { basename, join } from "node:path";

/** What tells a GPU from an equal one. */
export interface GpuIdentity {
  /** As nvidia-smi shows it: "GPU-" and 32 hexadecimal digits in five groups. Only NVIDIA's GPUs have one. */
  readonly uuid?: string | undefined;
  /** Domain, bus, device and function: "0000:19:00.0". */
  readonly pciAddress: string;
}

/** A GPU of this machine that this process may open, as the system's files describe it. */
export interface HostGpu extends GpuIdentity {
  readonly maker: "nvidia" | "amd" | "intel";
  /** The name that the driver gives it, and so its adapter; undefined if no file tells. */
  readonly model?: string | undefined;
  /** The paths of its device files. A process that cannot open them cannot use the GPU. */
  readonly files: readonly string[];
}

/** Makers of GPUs by their PCI number. Other makers' are for the consoles of servers, or virtual. */
const makers: Readonly<Record<string, HostGpu["maker"]>> = {
  "0x10de": "nvidia",
  "0x1002": "amd",
  "0x8086": "intel",
};

/** Where NVIDIA's driver describes its GPUs. */
const NVIDIA = "proc/driver/nvidia/gpus";
const DRM = "sys/class/drm";

/**
 * Lists the GPUs that this process may use: those whose device files it may open. So it lists what a container
 * or Slurm gives to the process, and no more. It reads files, and asks nvidia-smi where they tell too little.
 * For Linux: elsewhere it finds none.
 *
 * @param root the folder that stands for "/".
 * @param askNvidia returns what `nvidia-smi -q -x` prints; undefined if it does not run.
 * @returns NVIDIA's GPUs, then others, each by their PCI addresses: the order of nvidia-smi.
 */
export function hostGpus(root = "/", askNvidia = askNvidiaSmi): HostGpu[] {
  const nodes = drmGpus(root);
  const nodesOf = (address: string) => nodes.find(({ pciAddress }) => pciAddress === address)?.files ?? [];
  const nvidia = nvidiaGpus(root, askNvidia).flatMap(({ minor, ...gpu }): HostGpu[] => {
    const device = join(root, "dev", `nvidia${minor}`);
    if (!mayOpen(device, root)) return [];
    return [{ ...gpu, maker: "nvidia", files: [device, ...nodesOf(gpu.pciAddress)] }];
  });
  const hasNvidiaDriver = entries(join(root, NVIDIA)).length > 0 || nvidia.length > 0;
  const others = nodes.filter(({ maker, files }) => {
    const render = files.find((file) => basename(file).startsWith("render"));
    return !(maker === "nvidia" && hasNvidiaDriver) && render !== undefined && mayOpen(render, root);
  });
  const rank = ({ maker }: HostGpu) => (maker === "nvidia" ? 0 : 1);
  return [...nvidia, ...others].sort((a, b) => rank(a) - rank(b) || (a.pciAddress < b.pciAddress ? -1 : 1));
}

/** The GPUs of NVIDIA's driver, whether or not this process may open them. */
function nvidiaGpus(root: string, askNvidia: () => string | undefined): NvidiaGpu[] {
  const minors = entries(join(root, "dev")).flatMap((name) => /^nvidia(\d+)$/.exec(name)?.[1] ?? []);
  if (minors.length === 0) return [];
  const described = entries(join(root, NVIDIA)).flatMap((address) => {
    const gpu = parseInformation(read(join(root, NVIDIA, address, "information")));
    return gpu ? [gpu] : [];
  });
  const isDescribed = (minor: string) => described.some((gpu) => gpu.minor === Number(minor));
  if (minors.every(isDescribed)) return described;
  const asked = parseNvidiaSmi(askNvidia() ?? "");
  return [...asked, ...described.filter(({ minor }) => !asked.some((gpu) => gpu.minor === minor))];
}

/** The GPUs with files in /dev/dri. */
function drmGpus(root: string): HostGpu[] {
  const gpus = new Map<string, HostGpu>();
  for (const name of entries(join(root, DRM))) {
    if (!/^(renderD|card)\d+$/.test(name)) continue;
    const device = join(root, DRM, name, "device");
    const maker = makers[read(join(device, "vendor")).trim()];
    const pciAddress = basename(target(device));
    const file = join(root, "dev/dri", name);
    if (!maker || !/^[0-9a-f]{4,8}:[0-9a-f]{2}:[0-9a-f]{2}\.[0-7]$/.test(pciAddress) || !existsSync(file))
      continue;
    const others = gpus.get(pciAddress)?.files ?? [];
    gpus.set(pciAddress, { maker, pciAddress, files: [...others, file] });
  }
  return [...gpus.values()];
}

/**
 * Whether this process may open a device file. It is not opened, which may start a GPU that sleeps; a device
 * controller of a control group says no to this question too. A file that is hidden by /dev/null is none.
 */
function mayOpen(path: string, root: string): boolean {
  try {
    accessSync(path, constants.R_OK | constants.W_OK);
    const [file, nowhere] = [path, join(root, "dev/null")].map((each) =>
      statSync(each, { throwIfNoEntry: false }),
    );
    return file?.ino !== nowhere?.ino || file?.dev !== nowhere?.dev;
  } catch {
    return false;
  }
}

const entries = (folder: string) => orElse([], () => readdirSync(folder));
const read = (path: string) => orElse("", () => readFileSync(path, "utf8"));
const target = (path: string) => orElse("", () => realpathSync(path));

function orElse<T>(otherwise: T, look: () => T): T {
  try {
    return look();
  } catch {
    return otherwise;
  }
}

/** What NVIDIA's driver says about a GPU. */
interface NvidiaGpu {
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
function parseInformation(text: string): NvidiaGpu | undefined {
  const field = (name: string) => new RegExp(`^${name}:[ \\t]*(.*?)[ \\t]*$`, "m").exec(text)?.[1];
  return described(field("GPU UUID"), field("Bus Location"), field("Model"), field("Device Minor"));
}

/** Reads what `nvidia-smi -q -x` prints. GPUs that it says too little about are left out. */
function parseNvidiaSmi(xml: string): NvidiaGpu[] {
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
function askNvidiaSmi(): string | undefined {
  const { status, stdout } = spawnSync("nvidia-smi", ["-q", "-x"], {
    encoding: "utf8",
    timeout: 20_000,
    maxBuffer: 64 << 20,
    stdio: ["ignore", "pipe", "ignore"],
  });
  return status === 0 ? stdout : undefined;
}

/** The files of all GPUs but one. */
export function filesOfOthers(gpu: HostGpu, gpus: readonly HostGpu[]): string[] {
  return gpus.filter((other) => other !== gpu).flatMap(({ files }) => files);
}

/** A line of shell that starts a program so that it sees only one of some GPUs. */
export function hidingLine(gpu: HostGpu, gpus: readonly HostGpu[], program: string): string {
  const mounts = filesOfOthers(gpu, gpus).map((file) => `mount -o bind /dev/null ${file}`);
  return `unshare -Urm sh -c '${mounts.join(" && ")} && exec ${program}'`;
}
