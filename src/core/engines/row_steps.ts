import type { Plan, Words } from "../plan/plan.js";
import type { DeviceTraits } from "../plan/traits.js";
import type { Around, DeviceSteps } from "./device_steps.js";
import type { DeviceRows } from "./row_job.js";
import { fitting } from "./row_plans.js";

/** Runs the plans of one sort, as long as the device can and its caller wants. */
export class RowSteps {
  /** The buffers that the plans share by their names. */
  readonly onDevice: DeviceSteps;
  readonly #signal: AbortSignal | undefined;
  readonly #traits: DeviceTraits;

  constructor(onDevice: DeviceSteps, { signal }: DeviceRows, traits: DeviceTraits) {
    this.onDevice = onDevice;
    this.#signal = signal;
    this.#traits = traits;
  }

  /**
   * Runs a plan.
   *
   * @returns the words that are read back, by the names of their buffers.
   * @throws RowFallback if the device cannot bind its buffers; the reason of the signal; the errors of
   *   `DeviceSteps.run`.
   */
  async run(plan: Plan, around: Around = {}): Promise<Words> {
    const words = await this.onDevice.run(fitting(plan, this.#traits), around);
    this.throwIfAborted();
    return words;
  }

  throwIfAborted(): void {
    this.#signal?.throwIfAborted();
  }
}
