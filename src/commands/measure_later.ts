import { constants, setPriority } from "node:os";
import { fileURLToPath } from "node:url";
import type { SortDecision } from "../external/sort_options.js";
import { machineKey } from "../profile/machine.js";
import { claimMeasurement } from "../profile/store.js";

const program = fileURLToPath(new URL("../../bin/gpusort.js", import.meta.url));

/**
 * Starts to measure this machine after a sort whose device was chosen by an estimate, so that the next choice
 * is better. A process of low priority does it in the background, in a few seconds; nobody waits for it.
 * GPUSORT_MEASURE=never turns this off.
 */
export async function measureLater({ deviceChoice }: SortDecision): Promise<void> {
  if (deviceChoice.reason !== "estimate" || process.env.GPUSORT_MEASURE === "never") return;
  if (!(await claimMeasurement(machineKey(), deviceChoice.type))) return;
  const { spawn } = await import("node:child_process"); // few sorts come here, and it takes 2 ms
  const args = [program, "devices", "--measure", deviceChoice.type, "--quiet"];
  const child = spawn(process.execPath, args, { detached: true, stdio: "ignore", windowsHide: true });
  child.on("error", () => {}); // the next choice is an estimate again
  child.unref();
  try {
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  } catch {
    // it has ended already
  }
}
