import type { Plan, Words } from "../core/plan/plan.js";
import type { DeviceTraits } from "../core/plan/traits.js";
import type { Compare, Differences } from "./compare.js";
import type { DemoOption } from "./options.js";
import type { RgbaImage } from "./pictures/images.js";
import type { Picture, PictureKind } from "./pictures/picture.js";

/**
 * A small example kernel, and all that `gpusort demo` needs to run it: the options, the plans to run, how to
 * check the results, the text to print, and the pictures to draw.
 *
 * Most demos come from one of two texts: the compute-shader chapter of a textbook on Direct3D 12 ("the D3D12
 * chapter" or "the book" in comments), and Apple's article "Calculating threadgroup and grid sizes" ("the
 * article").
 */
export interface Demo {
  readonly name: string;
  /** One line for the list of demos. */
  readonly summary: string;
  /** Keys are the names on the command line, without dashes. */
  readonly options: Readonly<Record<string, DemoOption<unknown>>>;
  /** The image files that the demo takes as arguments, in order. */
  readonly images: readonly ImageArgument[];
  /** The kinds of pictures that --output can write. */
  readonly pictures: readonly PictureKind[];
  /** Whether the SVG pictures are charts, which Vega draws. */
  readonly charts: boolean;
  /** @throws InputError if the values contradict each other or exceed the device's limits. */
  readonly build: (request: DemoRequest<Readonly<Record<string, unknown>>>) => BuiltDemo;
}

interface ImageArgument {
  readonly name: string;
  readonly required: boolean;
}

interface DemoRequest<Values> {
  /** The value of every option. */
  readonly values: Values;
  readonly images: readonly RgbaImage[];
  readonly traits: DeviceTraits;
}

export interface BuiltDemo {
  /** In the order in which they run. */
  readonly experiments: readonly Experiment[];
  /** Checks the outcomes against each other, in addition to each one's own check. @throws VerifyError */
  readonly check?: (outcomes: Outcomes) => void;
  /** Describes the outcomes as text. Every line ends with a newline. */
  readonly show: (outcomes: Outcomes) => string;
  /** Draws a picture of a kind that the demo names. */
  readonly draw?: (kind: PictureKind, outcomes: Outcomes) => Picture;
}

/** A plan that runs once on the device and once on the CPU. */
export interface Experiment {
  readonly name: string;
  readonly plan: Plan;
  /** The initial words of buffers and textures, by name; all others start as zeros. */
  readonly inputs: Words;
  /** The buffers and textures that are read back and compared. Default: the plan's result. */
  readonly reads?: readonly string[];
  /** How the device's words are compared with the CPU's. Default: they must be equal. */
  readonly compare?: Compare;
  /** Whether the experiment is meant to show differences, which are then counted and are no error. */
  readonly mayDiffer?: true;
  /** Whether the plan is also timed, by running it repeatedly. */
  readonly timed?: true;
}

export interface Outcome {
  readonly name: string;
  /** The words of the buffers and textures that were read back. */
  readonly words: Words;
  /** Undefined on the CPU, which would be compared with itself. */
  readonly differences: Differences | undefined;
  /** The time of one run; undefined if the plan was not timed. */
  readonly timing: Timing | undefined;
}

/** How long one run of a plan takes on the GPU, by its own clock. */
export interface Timing {
  readonly medianMs: number;
  readonly minMs: number;
  /** The number of samples; a sample times several runs. */
  readonly samples: number;
}

/** One outcome per experiment, in the same order. */
export type Outcomes = readonly Outcome[];

/** A demo as its file defines it: option values have their parsed types, and unused members are left out. */
interface DemoDefinition<Options extends Readonly<Record<string, DemoOption<unknown>>>>
  extends Pick<Demo, "name" | "summary">,
    Partial<Pick<Demo, "images" | "pictures" | "charts">> {
  readonly options: Options;
  readonly build: (request: DemoRequest<ValuesOf<Options>>) => BuiltDemo;
}

type ValuesOf<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends DemoOption<infer Value> ? Value : never;
};

export function defineDemo<const Options extends Readonly<Record<string, DemoOption<unknown>>>>(
  definition: DemoDefinition<Options>,
): Demo {
  return { images: [], pictures: [], charts: false, ...definition } as Demo;
}
