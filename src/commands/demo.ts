import { demoNamed, demos } from "../demos/registry.js";
import { openDevice } from "../device/adapter.js";
import { runPlan } from "../device/run.js";
import { DeviceError, VerifyError } from "../errors.js";
import { defaultTraits } from "../plan/traits.js";
import { plainTable } from "../report/table.js";
import { runOnTwins } from "../twins/run.js";

export interface DemoOptions {
  readonly device: string;
}

/** `gpusort demo [NAME]`: runs a demo's plan on the device and on the CPU twins, and shows it if they agree. */
export async function demo(name: string | undefined, { device }: DemoOptions): Promise<void> {
  if (name === undefined) {
    process.stdout.write(
      plainTable(
        demos.map(({ name, summary }) => [name, summary]),
        ["left", "left"],
      ),
    );
    return;
  }
  const chosen = demoNamed(name);
  const opened = await openDevice(device);
  if (!opened && device !== "cpu") {
    throw new DeviceError("no adapter was found to run the demo on", {
      hint: "install a GPU driver or the npm package @sparticuz/chromium, or watch the CPU twin with --device cpu",
    });
  }
  const { plan, inputs, show } = chosen.build(opened?.gpu.traits ?? defaultTraits);
  const expected = runOnTwins(plan, inputs)[plan.result]!;
  const output = opened ? await runPlan(opened.gpu, plan, inputs) : expected;
  const wrong = output.findIndex((word, i) => word !== expected[i]);
  if (wrong >= 0) {
    throw new VerifyError(
      `demo ${name}: the device's word ${wrong} is ${output[wrong]}, the CPU twin's ${expected[wrong]}`,
      { hint: "this device computes wrongly; try another --device" },
    );
  }
  process.stdout.write(show(output));
  const where = opened
    ? `${opened.adapter.name}; its CPU twin agrees on all ${output.length} words`
    : "the CPU twin";
  process.stderr.write(`demo ${name} ran on ${where}\n`);
}
