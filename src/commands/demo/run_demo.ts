import { extname } from "node:path";
import { DeviceError, InputError } from "../../core/errors.js";
import { defaultTraits } from "../../core/plan/traits.js";
import { printable } from "../../core/printable.js";
import type { ByteInput } from "../../core/streams/byte_stream.js";
import type { OpenedDevice } from "../../dawn/adapter.js";
import type { Demo, Experiment, Outcome } from "../../demos/demo.js";
import { decodeImage, type RgbaImage } from "../../demos/pictures/images.js";
import { type PictureKind, pictureEncoder } from "../../demos/pictures/picture.js";
import { requireAgreement, runExperiment } from "../../demos/run_experiment.js";
import { openInput } from "../../files/input.js";
import { openReplacement } from "../../files/output.js";
import { requireDistinct } from "../../files/same_file.js";
import { packageToInstall } from "../../optional_packages.js";
import { formatCount } from "../../report/units.js";
import { openDeviceHidingOutput } from "../terminal/hide_dawn_output.js";
import { StatusLine } from "../terminal/status_line.js";

const PIPE_BLOCK_BYTES = 2 ** 20;

/** The options that every demo has in addition to its own. */
export interface CommonOptions {
  readonly device: string;
  readonly output?: string;
  readonly timing: boolean;
  readonly quiet?: boolean | undefined;
}

/** Runs a demo on a device, or on the CPU if there is none, and prints and draws what came out. */
export async function runDemo(
  demo: Demo,
  paths: readonly (string | undefined)[],
  options: CommonOptions & Readonly<Record<string, string | undefined>>,
  open: () => Promise<OpenedDevice | undefined> = () => openDemoDevice(options.device),
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

  const opened = await open();
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

/** @returns undefined for the CPU. @throws DeviceError if there is no such device. */
export async function openDemoDevice(device: string): Promise<OpenedDevice | undefined> {
  const failures: DeviceError[] = [];
  const opened = await openDeviceHidingOutput(device, (failure) => failures.push(failure));
  if (opened || device === "cpu") return opened;
  if (failures[0]) throw failures[0];
  throw new DeviceError("no adapter was found to run the demo on", {
    hint: [
      `install a GPU driver or the npm package ${packageToInstall("@sparticuz/chromium")},`,
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
  outcomes.forEach(({ differences }, i) => {
    if (!differences || experiments[i]!.mayDiffer) return;
    counts.set(differences.unit, (counts.get(differences.unit) ?? 0) + differences.of);
  });
  const agreed = [...counts].map(([unit, count]) => `${formatCount(count)} ${unit}`).join(" and ");
  return `${opened.adapter.name}; the CPU computes the same ${agreed}`;
}
