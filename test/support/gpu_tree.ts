import { linkSync, mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A GPU of NVIDIA's driver, as its files show it. */
export interface TreeGpu {
  readonly address: string;
  readonly minor: number;
  readonly uuid: string;
  readonly model?: string;
}

export const first: TreeGpu = {
  address: "0000:19:00.0",
  minor: 1,
  uuid: "GPU-aaaa1111-0000-0000-0000-000000000001",
};
export const second: TreeGpu = {
  address: "0000:3b:00.0",
  minor: 0,
  uuid: "GPU-aabb2222-0000-0000-0000-000000000002",
};

/** A folder that stands for "/" of a machine with GPUs. Its device files are plain ones. */
export class GpuTree {
  readonly root = mkdtempSync(join(tmpdir(), "gpusort-gpus-"));

  constructor() {
    this.write("dev/null", "");
  }

  write(path: string, text: string): void {
    mkdirSync(join(this.root, path, ".."), { recursive: true });
    writeFileSync(join(this.root, path), text);
  }

  /** As NVIDIA's driver 580 writes it. */
  describe({ address, minor, uuid, model = "NVIDIA H200" }: TreeGpu): void {
    const lines = [
      `Model: \t\t ${model}`,
      "IRQ:   \t\t 183",
      `GPU UUID: \t ${uuid}`,
      "Video BIOS: \t 96.00.a5.00.02",
      "Bus Type: \t PCIe",
      "DMA Size: \t 52 bits",
      `Bus Location: \t ${address}`,
      `Device Minor: \t ${minor}`,
      "GPU Firmware: \t 580.159",
      "GPU Excluded:\t No",
    ];
    this.write(`proc/driver/nvidia/gpus/${address}/information`, `${lines.join("\n")}\n`);
  }

  /** Describes GPUs, and makes their device files. */
  add(...gpus: readonly TreeGpu[]): this {
    for (const gpu of gpus) {
      this.describe(gpu);
      this.write(`dev/nvidia${gpu.minor}`, "");
    }
    return this;
  }

  /** A device file as /dev/null that is mounted over it shows it. */
  hide(file: string): void {
    linkSync(join(this.root, "dev/null"), join(this.root, file));
  }

  /** A GPU in /dev/dri, with its card and its render node. */
  addDrm(address: string, vendor: string, node: number): this {
    const device = `sys/devices/pci0000:00/${address}`;
    this.write(`${device}/vendor`, `${vendor}\n`);
    for (const name of [`card${node}`, `renderD${128 + node}`]) {
      mkdirSync(join(this.root, "sys/class/drm", name), { recursive: true });
      symlinkSync(join(this.root, device), join(this.root, "sys/class/drm", name, "device"));
      this.write(`dev/dri/${name}`, "");
    }
    return this;
  }
}

/** What `nvidia-smi -q -x` prints, as far as it is read. */
export function nvidiaSmiXml(...gpus: readonly TreeGpu[]): string {
  const each = gpus.map(
    ({ address, minor, uuid, model = "NVIDIA H200" }) => `
	<gpu id="0000${address.toUpperCase()}">
		<product_name>${model}</product_name>
		<uuid>${uuid}</uuid>
		<minor_number>${minor}</minor_number>
		<processes><process_info><pid>1</pid></process_info></processes>
	</gpu>`,
  );
  return `<?xml version="1.0" ?>\n<nvidia_smi_log>${each.join("\n")}\n</nvidia_smi_log>\n`;
}
