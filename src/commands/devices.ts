import { chooseAdapter, listAdapters } from "../device/adapter.js";
import { devicesTable } from "../report/devices.js";

export interface DevicesOptions {
  readonly device: string;
  readonly json: boolean;
}

/** `gpusort devices`: what there is, what each means for a grid, and which one `--device` would take. */
export async function devices({ device, json }: DevicesOptions): Promise<void> {
  const adapters = await listAdapters();
  const chosen = chooseAdapter(adapters, device);
  const text = json
    ? `${JSON.stringify({ adapters, selector: device, chosen: chosen?.name ?? null }, null, 2)}\n`
    : devicesTable(adapters, device, chosen);
  process.stdout.write(text);
}
