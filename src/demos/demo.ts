import type { Plan } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";

/** A kernel of the seeds', small enough to be looked at: a plan, its input, and how to show the output. */
export interface Demo {
  readonly name: string;
  /** One line, for the list. */
  readonly summary: string;
  readonly build: (traits: DeviceTraits) => BuiltDemo;
}

export interface BuiltDemo {
  readonly plan: Plan;
  /** The initial contents of the plan's buffers, word by word; the rest are zeros. */
  readonly inputs: Readonly<Record<string, Uint32Array<ArrayBuffer>>>;
  /** The words of the result as text, each line ended. */
  readonly show: (output: Uint32Array) => string;
}
