import type { Execution } from "../device/execute.js";
import { InputError } from "../errors.js";
import { nameOf } from "./arrays.js";
import type { BufferRegion } from "./buffers.js";
import type { SortRequirements } from "./description.js";

/** What a sort prepared for is over. */
export interface PreparedParts {
  readonly execution: Execution;
  readonly requirements: SortRequirements;
  readonly keys: BufferRegion;
  readonly values: BufferRegion | undefined;
}

/**
 * A sort of keys in GPU buffers, made ready: kernels compiled, scratch there, bindings made. It can be encoded any number
 * of times, into any encoder of its device, and sorts whatever the buffers then hold.
 */
export class PreparedSort implements Disposable {
  /** Where the sorted keys are after the sort ran: in the caller's buffer, or in scratch. `bytes` are those of all keys. */
  readonly keys: BufferRegion;
  /** Where the values are, or the indices (u32), in the order of their keys; undefined where there are none. */
  readonly values: BufferRegion | undefined;
  /** Bytes of device memory besides the caller's keys, values and count, whoever owns them. */
  readonly scratchBytes: number;
  /** Dispatches that `encode` records. */
  readonly passes: number;
  /**
   * Bytes that one sort reads and writes in device memory: an estimate from the plan, in which each pass moves once all that
   * it binds. Where the device counts the keys, it is that of the most of them.
   */
  readonly bytesMoved: number;
  readonly #execution: Execution;
  readonly #released: (sort: PreparedSort) => void;
  #destroyed = false;

  /** Made by `Sorter.prepare`. */
  constructor(
    { execution, requirements, keys, values }: PreparedParts,
    released: (sort: PreparedSort) => void,
  ) {
    this.#execution = execution;
    this.#released = released;
    this.keys = keys;
    this.values = values;
    this.scratchBytes = requirements.scratchBytes;
    this.passes = requirements.passes;
    this.bytesMoved = requirements.bytesMoved;
  }

  /**
   * Records the sort: as a compute pass of its own into a command encoder, or into a compute pass that the caller began and
   * will end (which then has another pipeline and bind group 0 set). Nothing is submitted, and nothing waited for.
   *
   * @throws InputError for anything else, and after `destroy`.
   */
  encode(encoder: GPUCommandEncoder | GPUComputePassEncoder): void {
    if (this.#destroyed) {
      throw new InputError("this prepared sort was destroyed", { hint: "prepare it again" });
    }
    if (encoder && "dispatchWorkgroups" in encoder) this.#execution.record(encoder);
    else if (encoder && "beginComputePass" in encoder) this.#execution.encode(encoder);
    else {
      throw new InputError(`cannot encode a sort into ${nameOf(encoder)}`, {
        hint: "pass a GPUCommandEncoder or a GPUComputePassEncoder",
      });
    }
  }

  /** Frees what the sorter made for it, a result in scratch included; the caller's buffers stay. */
  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.#execution.destroy();
    this.#released(this);
  }

  [Symbol.dispose](): void {
    this.destroy();
  }
}
