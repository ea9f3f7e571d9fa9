import { createRequire } from "node:module";
import { commit, version } from "../../build.generated.js";
import { GpuEngine } from "../../core/engines/gpu.js";
import { DeviceError } from "../../core/errors.js";
import { Planner } from "../../core/sorter/planner.js";
import { Sorter } from "../../core/sorter/sorter.js";
import { testedTraits } from "../../dawn/tested_traits.js";
import { hardwareReport } from "../../hardware/measure.js";
import type { HardwareReport } from "../../hardware/report.js";
import { cpuEngine } from "../../threads/cpu_engine.js";
import { openDeviceHidingOutput } from "../terminal/hide_dawn_output.js";

/** Time enough for software adapters to sort all arrays. */
const MOST_MS = 300_000;

/**
 * Opens the device of a selector, and reports it.
 *
 * @param onStep is told what comes next.
 * @throws DeviceError if the selector chooses no device, or if a sort that is timed fails.
 */
export async function deviceReport(
  selector: string,
  onStep: (step: string) => void,
): Promise<HardwareReport> {
  const opened = await openDeviceHidingOutput(selector);
  if (!opened) {
    const [message, hint] =
      selector === "cpu"
        ? [
            "only an adapter can be reported, and cpu is none",
            "choose one of those that gpusort devices lists",
          ]
        : ["there is no adapter to report", "install a GPU driver, or choose a software adapter"];
    throw new DeviceError(message, { hint, options: ["device"] });
  }
  const { gpu, adapter } = opened;
  const tested = await testedTraits(gpu, adapter);
  const engine = new GpuEngine(gpu, adapter.name, tested);
  const sorter = new Sorter({ engine, gpu, planner: await Planner.open(tested) });
  const cpu = new Sorter({ engine: cpuEngine() });
  const dawn = (createRequire(import.meta.url)("webgpu/package.json") as { version: string }).version;
  const { node } = process.versions;
  const { name, vendor, architecture, driver, backend, software } = adapter;
  try {
    return await hardwareReport(
      {
        ...{ gpu, tested, engine, sorter, cpu },
        about: {
          gpusort: commit ? `${version} (${shortened(commit)})` : version,
          runtime: `webgpu ${dawn}, Node ${node}, ${process.platform}-${process.arch}`,
          adapter: { name, vendor, architecture, driver, backend, software },
        },
      },
      MOST_MS,
      onStep,
    );
  } finally {
    cpu.destroy();
  }
}

/** A commit by as many digits as tell it from others, with what says that files were changed. */
const shortened = (commit: string) => commit.replace(/^(\w{12})\w*/, "$1");
