import type { Timing } from "../device/measure.js";
import type { RgbaImage } from "../formats/image.js";
import type { Picture, PictureKind } from "../formats/picture.js";
import type { Plan, Words } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import type { Compare, Differences } from "./compare.js";
import type { DemoOption } from "./options.js";

/**
 * A kernel of the seeds', small enough to be looked at. Everything that the command needs of it stands here: what
 * may be chosen, what is run and how it is checked, what is told and what may be drawn.
 */
export interface Demo {
  readonly name: string;
  /** One line, for the list. */
  readonly summary: string;
  /** By their names on the command line, without dashes. */
  readonly options: Readonly<Record<string, DemoOption<unknown>>>;
  /** Image files that it takes, in order. */
  readonly images: readonly ImageArgument[];
  /** What --output can be made to hold, by the file's extension. */
  readonly pictures: readonly PictureKind[];
  /** @throws InputError if the values do not go together, or with the device's limits. */
  readonly build: (request: DemoRequest<Readonly<Record<string, unknown>>>) => BuiltDemo;
}

export interface ImageArgument {
  readonly name: string;
  readonly required: boolean;
}

export interface DemoRequest<Values> {
  /** One for every option. */
  readonly values: Values;
  readonly images: readonly RgbaImage[];
  readonly traits: DeviceTraits;
}

export interface BuiltDemo {
  /** In the order in which they are run. */
  readonly experiments: readonly Experiment[];
  /** What must hold of the outcomes together, besides each one's own check. @throws VerifyError */
  readonly check?: (outcomes: Outcomes) => void;
  /** The outcomes as text, each line ended. */
  readonly show: (outcomes: Outcomes) => string;
  /** Of every kind that the demo names. */
  readonly draw?: (kind: PictureKind, outcomes: Outcomes) => Picture;
}

/** One plan run once on the device and once on the CPU twins. */
export interface Experiment {
  readonly name: string;
  readonly plan: Plan;
  /** The initial contents of the plan's buffers and textures, word by word; the rest are zeros. */
  readonly inputs: Words;
  /** What is read back and compared; without it, the plan's result. */
  readonly reads?: readonly string[];
  /** How the device's words are held against the twin's; without it, they must be the same. */
  readonly compare?: Compare;
  /** Whether differences are what it is for, and are counted rather than refused. */
  readonly mayDiffer?: true;
  /** Whether it is timed, too, by running it again and again. */
  readonly timed?: true;
}

export interface Outcome {
  readonly name: string;
  /** What was read back. */
  readonly words: Words;
  readonly differences: Differences;
  /** Of one run, where it was timed. */
  readonly timing: Timing | undefined;
}

/** One for each experiment, in their order. */
export type Outcomes = readonly Outcome[];

/** A demo as it is written: options typed by what they parse to, and what it does without left out. */
interface DemoDefinition<Options extends Readonly<Record<string, DemoOption<unknown>>>> {
  readonly name: string;
  readonly summary: string;
  readonly options: Options;
  readonly images?: readonly ImageArgument[];
  readonly pictures?: readonly PictureKind[];
  readonly build: (request: DemoRequest<ValuesOf<Options>>) => BuiltDemo;
}

type ValuesOf<Options> = {
  readonly [Name in keyof Options]: Options[Name] extends DemoOption<infer Value> ? Value : never;
};

export function defineDemo<const Options extends Readonly<Record<string, DemoOption<unknown>>>>(
  definition: DemoDefinition<Options>,
): Demo {
  return { images: [], pictures: [], ...definition } as Demo;
}
