import type { Execution } from "../device/execute.js";
import { InputError } from "../errors.js";
import type { GPUCommandEncoder, GPUComputePassEncoder } from "../host_types.js";
import { shown } from "../names.js";
import type { BufferRegion } from "./buffers.js";
import type { SortRequirements } from "./description.js";

declare global {
  // Of TypeScript's lib "esnext.disposable", which callers need not have. Equal declarations are merged.
  interface SymbolConstructor {
    readonly dispose: unique symbol;
  }
  interface Disposable {
    [Symbol.dispose](): void;
  }
}

/** What `using` ends. */
export type Ended = Disposable;

/** What prepared work consists of. */
export interface WorkParts {
  /** What it is, for messages, such as "sort". */
  readonly name: string;
  readonly execution: Execution;
  /** What it costs. */
  readonly cost: Pick<SortRequirements, "scratchBytes" | "dispatches" | "bytesMoved">;
  /** Called once, when the work is destroyed. */
  readonly released: (work: PreparedWork) => void;
}

/** The regions of the result of a sort. */
export interface SortRegions {
  /** Undefined if the sort writes no keys. */
  readonly keys: BufferRegion | undefined;
  readonly values: BufferRegion | undefined;
  readonly distinct: BufferRegion | undefined;
  readonly counts: BufferRegion | undefined;
  readonly starts: BufferRegion | undefined;
}

/**
 * Work on GPU buffers that is ready to run: its kernels are compiled, its scratch is allocated, and its buffers
 * are bound. It can be encoded any number of times, into any encoder of its device. Each run works on the
 * contents that the buffers have at that time. Works of one encoder run one after the other.
 */
export class PreparedWork implements Ended {
  /** The bytes of the scratch buffers, no matter whether the sorter or the caller made them. */
  readonly scratchBytes: number;
  /** The number of dispatches that `encode` records. */
  readonly dispatches: number;
  /**
   * An estimate of the bytes that one run reads and writes in device memory, as `trafficBytes` computes it
   * from the plan. If the device reads the number of elements, the estimate is for `capacity` elements.
   */
  readonly bytesMoved: number;
  readonly #name: string;
  readonly #execution: Execution;
  readonly #released: (work: PreparedWork) => void;
  #destroyed = false;

  /**
   * Use `Sorter.prepare` or `prepareScan` and others instead.
   *
   * @internal
   */
  constructor({ name, execution, cost, released }: WorkParts) {
    this.#name = name;
    this.#execution = execution;
    this.#released = released;
    this.scratchBytes = cost.scratchBytes;
    this.dispatches = cost.dispatches;
    this.bytesMoved = cost.bytesMoved;
  }

  /**
   * Records the work. It does not submit anything, and it does not wait.
   *
   * @param encoder a command encoder, to which it adds one compute pass; or a compute pass that the caller
   *   began and will end, in which it changes the pipeline and bind group 0.
   * @throws InputError if `encoder` is neither of these, or after `destroy`.
   */
  encode(encoder: GPUCommandEncoder | GPUComputePassEncoder): void {
    if (this.#destroyed) {
      throw new InputError(`this prepared ${this.#name} was destroyed`, { hint: "prepare it again" });
    }
    const target = Object(encoder) as typeof encoder; // what is no object has no members
    if ("dispatchWorkgroups" in target) this.#execution.record(target);
    else if ("beginComputePass" in target) this.#execution.encode(target);
    else {
      throw new InputError(`cannot encode a ${this.#name} into ${shown(encoder)}`, {
        hint: "pass a GPUCommandEncoder or a GPUComputePassEncoder",
      });
    }
  }

  /**
   * Frees the buffers that the sorter made for this work, including results in them. Keeps the caller's
   * buffers.
   */
  destroy(): void {
    if (this.#destroyed) return;
    this.#destroyed = true;
    this.#execution.destroy();
    this.#released(this);
  }

  /** Calls `destroy`. */
  [Symbol.dispose](): void {
    this.destroy();
  }
}

/** A sort of keys in GPU buffers that is ready to run. `Sorter.prepare` creates it. */
export class PreparedSort extends PreparedWork {
  /**
   * The region that holds the values, or the indices (u32), in the order of their keys; undefined if the sort
   * has no payload.
   */
  readonly values: BufferRegion | undefined;
  /**
   * With `unique`, the region of one word (u32) that holds the number of distinct keys after a run; these
   * are at the begin of `keys`, and what follows them is undefined. A buffer that the sort made can be
   * copied from, for example to the arguments of an indirect draw or dispatch. Else undefined.
   */
  readonly distinct: BufferRegion | undefined;
  /**
   * With `unique: "counts"`, the region that holds how often each distinct key occurs (u32). Else undefined.
   */
  readonly counts: BufferRegion | undefined;
  /**
   * With `top` and `segments`, the region of the places (u32) in `keys` and `values` where the first keys of
   * each segment begin, and of the one where the last ones end. Else undefined.
   */
  readonly starts: BufferRegion | undefined;
  readonly #keys: BufferRegion | undefined;

  /**
   * Use `Sorter.prepare` instead.
   *
   * @internal
   */
  constructor(parts: WorkParts, { keys, values, distinct, counts, starts }: SortRegions) {
    super(parts);
    this.#keys = keys;
    this.values = values;
    this.distinct = distinct;
    this.counts = counts;
    this.starts = starts;
  }

  /**
   * The region that holds the sorted keys after a run, in the caller's buffer or in scratch. Its `bytes` are
   * those of all keys up to the capacity, or up to the count if that is a number; with `top`, of at most that
   * many keys, or of at most that many of each segment.
   *
   * @throws InputError if the sort writes no keys, because its output is "values".
   */
  get keys(): BufferRegion {
    if (this.#keys) return this.#keys;
    throw new InputError('this sort writes no keys, because its output is "values"', {
      hint: 'read its values, or prepare it with output "all"',
    });
  }
}
