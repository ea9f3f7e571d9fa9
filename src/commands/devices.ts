import { chooseAdapter, noSuchAdapter } from "../dawn/adapter.js";
import { autoChoice } from "../profile/auto.js";
import { devicesTable } from "../report/devices.js";
import { jsonText } from "../report/json.js";
import { listAdaptersQuietly } from "./quiet.js";
import { terminalWidth } from "./terminal.js";

export interface DevicesOptions {
  readonly device: string;
  readonly json?: boolean | undefined;
}

/** Selectors that may choose no adapter. Any other selector is a part of a name. */
const kinds = ["auto", "gpu", "software", "cpu"];

/**
 * `gpusort devices`: lists the adapters, their grid limits, and what `--device` chooses.
 *
 * @throws DeviceError if `--device` is a part of no adapter's name.
 */
export async function devices({ device, json }: DevicesOptions): Promise<void> {
  const failures: string[] = [];
  const adapters = await listAdaptersQuietly(({ message }) => failures.push(message));
  for (const failure of failures) process.stderr.write(`gpusort: ${failure}\n`);
  const chosen = chooseAdapter(adapters, device);
  if (!chosen && !kinds.includes(device)) throw noSuchAdapter(device, adapters);
  const auto = await autoChoice();
  const text = json
    ? jsonText(jsonOf(adapters, device, chosen, auto))
    : devicesTable(adapters, device, chosen, auto, terminalWidth(process.stdout));
  process.stdout.write(text);
}

type Adapters = Awaited<ReturnType<typeof listAdaptersQuietly>>;

/** `chosen` is null for "auto", because its choice depends on the sort: `auto` has what it depends on. */
function jsonOf(
  adapters: Adapters,
  selector: string,
  chosen: Adapters[number] | undefined,
  { cpuBelowKeys, measured }: Awaited<ReturnType<typeof autoChoice>>,
) {
  return {
    adapters,
    selector,
    chosen: selector === "auto" ? null : (chosen?.name ?? null),
    auto: { adapter: adapters[0]?.name ?? null, cpuBelowKeys, measured: measured ?? null },
  };
}
