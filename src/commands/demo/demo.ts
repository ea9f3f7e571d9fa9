import { Command } from "commander";
import type { Demo } from "../../demos/demo.js";
import { demoNamed, demos } from "../../demos/registry.js";
import { plainTable } from "../../report/table.js";
import { useOneGpu } from "../devices/one_gpu.js";
import { errorOutput } from "../help.js";
import { defaultDevice } from "../shared_options.js";
import { type CommonOptions, openDemoDevice, runDemo } from "./run_demo.js";

const ALL = "all of these, one after the other, but those that need an image";

/** The page of demos runs in a browser, so it is no `Demo`. */
const PAGE = "the page of gpusort, which sorts in your browser: served on this machine, to it alone";

/**
 * `gpusort demo [NAME …]`: runs a demo's kernels on the device and on the CPU, and shows the result if both
 * agree. Each demo declares its own options, so its arguments are parsed here.
 *
 * @param words everything after "demo".
 */
export async function demo(words: readonly string[]): Promise<void> {
  const [name] = words;
  if (name === undefined) {
    process.stdout.write(list());
    return;
  }
  if (name === "page") {
    await (await import("./demo_page.js")).demoPage(words.slice(1));
    return;
  }
  const program = new Command("gpusort demo")
    .description("run an example compute kernel, and check its result against the CPU")
    .usage("[name] [options]")
    .addHelpText("after", () => `\nDemos (gpusort demo NAME --help lists its options):\n${list()}`)
    .showHelpAfterError(`(gpusort demo ${name.startsWith("-") ? "NAME" : name} --help lists the options)`)
    .configureOutput(errorOutput)
    .option(...QUIET_DEMO)
    .exitOverride();
  if (name.startsWith("-")) program.action(() => void process.stdout.write(list()));
  else if (name === "all") addAll(program);
  else addDemo(program, demoNamed(name));
  await program.parseAsync([...words], { from: "user" });
}

/** A command of all demos, each with its options. */
export function demoCommand(): Command {
  const program = new Command("demo").option(...QUIET_DEMO);
  addAll(program);
  for (const one of demos) addDemo(program, one);
  return program;
}

const QUIET_DEMO = ["-q, --quiet", "print no progress, and not where the demo ran"] as const;

function list(): string {
  const named = demos.map(({ name, summary }) => [name, summary]);
  return plainTable([...named, ["all", ALL], ["page", PAGE]], ["left", "left"]);
}

const DEVICE = [
  "--device <which>",
  "device to use: auto, gpu, software, cpu, uuid:GPU-…, a number of gpusort devices, or part of a name",
  defaultDevice,
] as const;

/** All demos run on one device, with the defaults of their options: a process opens no second device. */
function addAll(program: Command): void {
  const command = program.command("all").description(ALL);
  command.option(...DEVICE);
  command.action(async () => {
    await useOneGpu(command);
    const common = command.optsWithGlobals<Omit<CommonOptions, "timing">>();
    const opened = await openDemoDevice(common.device);
    for (const demo of demos) {
      if (demo.images.some(({ required }) => required)) {
        if (!common.quiet) process.stderr.write(`left out: gpusort demo ${demo.name} IMAGE needs an image\n`);
        continue;
      }
      const defaults = Object.entries(demo.options).map(([name, option]) => [name, option.default]);
      process.stdout.write(`\n${demo.name}: ${demo.summary}\n\n`);
      await runDemo(
        demo,
        [],
        { ...Object.fromEntries(defaults), ...common, timing: true },
        async () => opened,
      );
    }
  });
}

function addDemo(program: Command, demo: Demo): void {
  const command = program.command(demo.name).description(demo.summary);
  for (const { name, required } of demo.images) {
    command.argument(required ? `<${name}>` : `[${name}]`, "a PNG or JPEG file");
  }
  for (const [name, option] of Object.entries(demo.options)) {
    command.option(`--${name} <${option.value}>`, option.description, option.default);
  }
  command.option(...DEVICE);
  if (demo.pictures.length > 0) {
    const kinds = demo.pictures.join(" or ");
    command.option("-o, --output <file>", `draw the result to a ${kinds} file; an existing file is replaced`);
  }
  command.option("--no-timing", "do not measure times, for demos that do");
  command.action(async (...words: unknown[]) => {
    const images = words.slice(0, demo.images.length) as (string | undefined)[];
    await useOneGpu(command);
    const options = command.optsWithGlobals<CommonOptions & Record<string, string | undefined>>();
    await runDemo(demo, images, options);
  });
}
