import { version } from "../../src/build.generated.js";
import type { Gpu } from "../../src/core/device/gpu.js";
import { GpuEngine } from "../../src/core/engines/gpu.js";
import { provenTraits } from "../../src/core/engines/lockstep.js";
import { createSorter } from "../../src/core/index.js";
import { hardwareReport } from "../../src/hardware/measure.js";
import type { HardwareReport } from "../../src/hardware/report.js";
import { element, messageOf, say } from "./elements.js";
import { drawn, whileResting } from "./rest.js";

/** The section "Report this GPU": checks and measures the GPU, and offers a file for `docs/hardware/`. */
export function startGpuReport(gpu: Gpu): void {
  const form = element("report-form", HTMLFormElement);
  const button = form.querySelector("button")!;
  form.addEventListener("submit", async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      const mostMs = 1000 * Number(element("report-seconds", HTMLSelectElement).value);
      const report = await whileResting(() => measure(gpu, mostMs));
      offer(report);
      const { sorted, planned, wrong } = report.correctness;
      const rest = sorted === planned ? "" : ` ${planned - sorted} were not tried, as time ran out.`;
      say("report-status", `${sorted - wrong.length} of ${sorted} arrays are right.${rest}`);
    } catch (error) {
      say("report-status", `The report failed: ${messageOf(error)}`);
    } finally {
      button.disabled = false;
    }
  });
  element("report", HTMLElement).hidden = false;
}

async function measure(gpu: Gpu, mostMs: number): Promise<HardwareReport> {
  const { vendor, architecture, device, description, isFallbackAdapter } = gpu.device.adapterInfo;
  const name = description || device || architecture || vendor;
  const tested = await provenTraits(gpu);
  const [sorter, cpu] = [await createSorter(gpu.device), await createSorter("cpu")];
  const engine = new GpuEngine(gpu, name, tested); // the page keeps its device, so it is not closed
  const about = {
    gpusort: version,
    runtime: navigator.userAgent,
    adapter: { name, vendor, architecture, driver: "", backend: "", software: isFallbackAdapter },
  };
  try {
    return await hardwareReport({ gpu, engine, sorter, cpu, tested, about }, mostMs, async (step) => {
      say("report-status", `${step} …`);
      await drawn();
    });
  } finally {
    sorter.destroy();
    cpu.destroy();
  }
}

function offer(report: HardwareReport): void {
  const link = element("report-json", HTMLAnchorElement);
  URL.revokeObjectURL(link.href);
  link.href = URL.createObjectURL(
    new Blob([`${JSON.stringify(report, null, 2)}\n`], { type: "application/json" }),
  );
  element("report-result", HTMLElement).hidden = false;
}
