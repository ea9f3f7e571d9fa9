/** The page of gpusort: what runs in it. */
import { startBlur } from "./blur.js";
import { openPageDevice } from "./device.js";
import { element, messageOf, say, sayOfShaders } from "./elements.js";
import { startGpuReport } from "./gpu_report.js";
import { startLiveSort } from "./live_sort.js";
import { startNetwork } from "./network.js";
import { startWaves } from "./waves.js";

startNetwork();
const { gpu, text } = await openPageDevice();
if (gpu) {
  say("device", `Your GPU: ${text}.`);
  startLiveSort(gpu, text);
  startGpuReport(gpu);
  try {
    await Promise.all([startWaves(gpu), startBlur(gpu)]);
  } catch (error) {
    missing(`The shaders do not run here: ${messageOf(error)}`);
  }
} else {
  say("device", `${text} Here gpusort sorts on the CPU, which needs no GPU.`);
  startLiveSort(undefined, "CPU");
  missing("Waves and blur need WebGPU. The gallery shows pictures of them.");
}
document.documentElement.dataset.ready = "true";

function missing(why: string): void {
  sayOfShaders(why);
  for (const id of ["waves", "blur"]) element(id, HTMLCanvasElement).closest("figure")!.hidden = true;
}
