import { extname } from "node:path";
import { Command } from "commander";
import { DeviceError, InputError } from "../core/errors.js";
import { defaultTraits } from "../core/plan/traits.js";
import { messageLines, printable } from "../core/printable.js";
import type { ByteInput } from "../core/streams/byte_stream.js";
import type { OpenedDevice } from "../dawn/adapter.js";
import type { Demo, Experiment, Outcome } from "../demos/demo.js";
import { decodeImage, type RgbaImage } from "../demos/image_file.js";
import { type PictureKind, pictureEncoder } from "../demos/picture.js";
import { demoNamed, demos } from "../demos/registry.js";
import { requireAgreement, runExperiment } from "../demos/run_experiment.js";
import { openInput } from "../files/input.js";
import { openReplacement } from "../files/replace_file.js";
import { plainTable } from "../report/table.js";
import { formatCount } from "../report/units.js";
import { defaultDevice } from "./default_device.js";
import { requireDistinct } from "./distinct.js";
import { useOneGpu } from "./one_gpu.js";
import { openDeviceQuietly } from "./quiet.js";
import { StatusLine } from "./status_line.js";

/** The page of demos runs in a browser, so it is no `Demo`. */
const PAGE = "the page of gpusort, which sorts in your browser: served on this machine, to it alone";

const PIPE_BLOCK_BYTES = 2 ** 20;

/** The options that every demo has in addition to its own. */
interface CommonOptions {
  readonly device: string;
  readonly output?: string;
  readonly timing: boolean;
  readonly quiet?: boolean | undefined;
}

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
    .configureOutput({ outputError: (text, write) => write(messageLines(text)) })
    .option("-q, --quiet", "print no progress, and not where the demo ran")
    .exitOverride();
  if (name.startsWith("-")) program.action(() => void process.stdout.write(list()));
  else addDemo(program, demoNamed(name));
  await program.parseAsync([...words], { from: "user" });
}

function list(): string {
  return plainTable([...demos.map(({ name, summary }) => [name, summary]), ["page", PAGE]], ["left", "left"]);
}

function addDemo(program: Command, demo: Demo): void {
  const command = program.command(demo.name).description(demo.summary);
  for (const { name, required } of demo.images) {
    command.argument(required ? `<${name}>` : `[${name}]`, "a PNG or JPEG file");
  }
  for (const [name, option] of Object.entries(demo.options)) {
    command.option(`--${name} <${option.value}>`, option.description, option.default);
  }
  command.option(
    "--device <which>",
    "device to use: auto, gpu, software, cpu, uuid:GPU-…, a number of gpusort devices, or part of a name",
    defaultDevice,
  );
  if (demo.pictures.length > 0) {
    const kinds = demo.pictures.join(" or ");
    command.option("-o, --output <file>", `draw the result to a ${kinds} file; an existing file is replaced`);
  }
  command.option("--no-timing", "do not measure times, for demos that do");
  command.action(async (...words: unknown[]) => {
    const images = words.slice(0, demo.images.length) as (string | undefined)[];
    await useOneGpu(command);
    const options = command.optsWithGlobals<CommonOptions & Record<string, string | undefined>>();
    await run(demo, images, options);
  });
}

async function run(
  demo: Demo,
  paths: readonly (string | undefined)[],
  options: CommonOptions & Readonly<Record<string, string | undefined>>,
): Promise<void> {
  const kind = options.output === undefined ? undefined : pictureKind(demo, options.output);
  const encode = kind && (await pictureEncoder(kind, demo.charts));
  const values = Object.fromEntries(
    Object.entries(demo.options).map(([name, { parse }]) => [name, parse(options[name], `--${name}`)]),
  );
  if (options.output !== undefined) {
    const inputs = paths.map((path) => ["the input", path] as const);
    await requireDistinct(options.output, "picture", inputs);
  }
  const images: RgbaImage[] = [];
  for (const path of paths) if (path !== undefined) images.push(await readImage(path));

  const opened = await open(options.device);
  const traits = opened?.gpu.traits ?? defaultTraits;
  const { experiments, check, show, draw } = demo.build({ values, images, traits });
  if (!options.timing && !experiments.some(({ timed }) => timed)) {
    throw new InputError(`--no-timing has no effect on demo ${demo.name}`, {
      hint: "leave it out: this demo measures no times",
    });
  }
  const picture = options.output === undefined ? undefined : await openReplacement(options.output, "picture");
  try {
    const outcomes = await runAll(demo, experiments, opened, options);
    check?.(outcomes);
    process.stdout.write(show(outcomes));
    if (encode) await picture?.finish(await encode(draw!(kind!, outcomes)));
    if (!options.quiet) {
      const ran = printable(whereAndHow(opened, experiments, outcomes));
      process.stderr.write(`demo ${demo.name} ran on ${ran}\n`);
    }
  } catch (error) {
    await picture?.discard();
    throw error;
  }
}

async function runAll(
  demo: Demo,
  experiments: readonly Experiment[],
  opened: OpenedDevice | undefined,
  { timing, quiet }: CommonOptions,
): Promise<Outcome[]> {
  const status = new StatusLine(process.stderr, !quiet);
  const outcomes: Outcome[] = [];
  try {
    for (const experiment of experiments) {
      status.show(`${demo.name}: ${experiment.name}`);
      const outcome = await runExperiment(opened?.gpu, experiment, { timed: timing });
      outcomes.push(outcome);
      if (opened) requireAgreement(`demo ${demo.name}`, experiment, outcome);
    }
  } finally {
    status.clear();
  }
  return outcomes;
}

function pictureKind({ name, pictures }: Demo, output: string): PictureKind {
  const kind = pictures.find((picture) => picture === extname(output).toLowerCase());
  if (kind) return kind;
  throw new InputError(`demo ${name} cannot draw to ${output}`, {
    hint: `name a file that ends in ${pictures.join(" or ")} with --output`,
  });
}

async function readImage(path: string): Promise<RgbaImage> {
  const input = await openInput(path);
  try {
    return await decodeImage(await readWhole(input), input.name);
  } finally {
    await input.close();
  }
}

/** Reads a whole input into memory, for small files. The length of a pipe is known only at its end. */
async function readWhole(input: ByteInput): Promise<Uint8Array<ArrayBuffer>> {
  const blocks: Uint8Array[] = [];
  for (;;) {
    const block = new Uint8Array(input.byteLength ?? PIPE_BLOCK_BYTES);
    const length = await input.next(block);
    blocks.push(block.subarray(0, length));
    if (length < block.length || input.byteLength !== undefined) break;
  }
  return new Uint8Array(Buffer.concat(blocks));
}

async function open(device: string): Promise<OpenedDevice | undefined> {
  const failures: DeviceError[] = [];
  const opened = await openDeviceQuietly(device, (failure) => failures.push(failure));
  if (opened || device === "cpu") return opened;
  if (failures[0]) throw failures[0];
  throw new DeviceError("no adapter was found to run the demo on", {
    hint: [
      "install a GPU driver or the npm package @sparticuz/chromium,",
      "or run the demo on the CPU with --device cpu",
    ].join(" "),
  });
}

/** "DEVICE; the CPU computes the same 1,024 words": the device, and how much was compared and found equal. */
function whereAndHow(
  opened: OpenedDevice | undefined,
  experiments: readonly Experiment[],
  outcomes: readonly Outcome[],
): string {
  if (!opened) return "the CPU";
  const counts = new Map<string, number>();
  outcomes.forEach(({ differences: { of, unit } }, i) => {
    if (!experiments[i]!.mayDiffer) counts.set(unit, (counts.get(unit) ?? 0) + of);
  });
  const agreed = [...counts].map(([unit, count]) => `${formatCount(count)} ${unit}`).join(" and ");
  return `${opened.adapter.name}; the CPU computes the same ${agreed}`;
}
