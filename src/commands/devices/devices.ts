import { type AutoChoice, autoChoice } from "../../auto/open.js";
import { DeviceError } from "../../core/errors.js";
import {
  chooseAdapter,
  chooseGpu,
  gpuSelector,
  noAdapterOf,
  noSuchAdapter,
} from "../../dawn/choose_adapter.js";
import { type HostGpu, hostGpus } from "../../dawn/host_gpus.js";
import { bytesIn, useShaderCache } from "../../dawn/shader_cache.js";
import { devicesList, devicesTable, shaderCacheText } from "../../report/devices.js";
import { jsonText } from "../../report/json.js";
import { formatCount } from "../../report/units.js";
import { ExitCode } from "../exit_code.js";
import { listAdaptersHidingOutput } from "../terminal/hide_dawn_output.js";
import { StatusLine } from "../terminal/status_line.js";
import { noticeLine, terminalWidth } from "../terminal/terminal.js";

export interface DevicesOptions {
  readonly device: string;
  readonly report?: boolean | undefined;
  readonly json?: boolean | undefined;
  readonly quiet?: boolean | undefined;
  /** Whether nobody typed `--device`, so that GPUSORT_DEVICE or "auto" stands for it. */
  readonly isDefault?: boolean | undefined;
}

/** Selectors that may choose no adapter. Any other selector is a part of a name. */
const kinds = ["auto", "gpu", "software", "cpu"];

/**
 * `gpusort devices`: lists the adapters, their grid limits, and what `--device` chooses. With `--report`, it
 * prints a report of one device instead, and ends with 1 if that sorted an array wrongly.
 *
 * If GPUSORT_DEVICE chooses nothing that is there, the list is printed all the same, with a notice: it is what
 * shows the right values of the variable, and nobody asked whether that one is right.
 *
 * @throws DeviceError if `--device` chooses nothing that is there.
 */
export async function devices(options: DevicesOptions): Promise<void> {
  const { device, report, json, quiet, isDefault } = options;
  if (report) return printReport(device, json, quiet);
  const failures: string[] = [];
  const adapters = await listAdaptersHidingOutput(({ message }) => failures.push(message));
  for (const failure of failures) process.stderr.write(noticeLine(failure));
  const gpus = hostGpus();
  const { chosen, problem: stale } = chooseOrTell(adapters, gpus, device);
  if (stale && !isDefault) throw stale;
  const auto = autoChoice();
  const withoutAdapter = gpus.flatMap(({ uuid, pciAddress, model }, number) =>
    adapters.some((adapter) => adapter.pciAddress === pciAddress)
      ? []
      : [{ number, uuid, pciAddress, model }],
  );
  const { folders, problem } = useShaderCache();
  const shaderCache = { folders, bytes: bytesIn(folders), problem };
  const width = terminalWidth(process.stdout);
  const text = json
    ? jsonText({ ...jsonOf(adapters, device, chosen, auto), gpusWithoutAdapter: withoutAdapter, shaderCache })
    : devicesList([...adapters, ...withoutAdapter], width) +
      devicesTable(adapters, { selector: device, chosen, auto, isVariable: isDefault }, width) +
      shaderCacheText(shaderCache, width);
  process.stdout.write(text);
  if (stale && !quiet) process.stderr.write(`gpusort: GPUSORT_DEVICE names no device: ${stale.message}\n`);
}

function chooseOrTell(...of: Parameters<typeof choose>): {
  chosen?: ReturnType<typeof choose>;
  problem?: DeviceError;
} {
  try {
    return { chosen: choose(...of) };
  } catch (problem) {
    if (!(problem instanceof DeviceError)) throw problem;
    return { problem };
  }
}

function choose(adapters: Adapters, gpus: readonly HostGpu[], device: string): Adapters[number] | undefined {
  const identity = gpuSelector(device);
  const gpu = identity && chooseGpu(gpus, identity);
  const chosen = gpu
    ? adapters.find(({ pciAddress }) => pciAddress === gpu.pciAddress)
    : chooseAdapter(adapters, device);
  if (!chosen && gpu) throw noAdapterOf(gpu);
  if (!chosen && !kinds.includes(device)) throw noSuchAdapter(device, adapters);
  return chosen;
}

async function printReport(
  device: string,
  json: boolean | undefined,
  quiet: boolean | undefined,
): Promise<void> {
  const [{ deviceReport }, { deviceReportText }] = await Promise.all([
    import("./device_report.js"),
    import("../../report/device_report.js"),
  ]);
  const status = new StatusLine(process.stderr, !quiet);
  const report = await deviceReport(device, (step) => status.show(step));
  status.clear();
  process.stdout.write(json ? jsonText(report) : deviceReportText(report));
  const { wrong } = report.correctness;
  if (wrong.length === 0) return;
  process.stderr.write(`gpusort: the device sorted ${formatCount(wrong.length)} arrays wrongly\n`);
  process.exitCode = ExitCode.notSorted;
}

type Adapters = Awaited<ReturnType<typeof listAdaptersHidingOutput>>;

/** `chosen` is null for "auto", because its choice depends on the sort: `auto` has what it depends on. */
function jsonOf(
  adapters: Adapters,
  selector: string,
  chosen: Adapters[number] | undefined,
  auto: AutoChoice,
) {
  return {
    adapters,
    selector,
    chosen: selector === "auto" ? null : (chosen?.name ?? null),
    chosenNumber: selector === "auto" ? null : (chosen?.number ?? null),
    auto,
  };
}
