import { chooseAdapter } from "../dawn/adapter.js";
import { devicesTable } from "../report/devices.js";
import { listAdaptersQuietly } from "./quiet.js";

export interface DevicesOptions {
  readonly device: string;
  readonly json?: boolean | undefined;
}

/** `gpusort devices`: lists the adapters, their grid limits, and the one that `--device` would choose. */
export async function devices({ device, json }: DevicesOptions): Promise<void> {
  const adapters = await listAdaptersQuietly();
  const chosen = chooseAdapter(adapters, device);
  const text = json
    ? `${JSON.stringify({ adapters, selector: device, chosen: chosen?.name ?? null }, null, 2)}\n`
    : devicesTable(adapters, device, chosen);
  process.stdout.write(text);
}
