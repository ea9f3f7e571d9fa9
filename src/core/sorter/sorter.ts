import { Execution, type Supplied } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { type ElementType, elementTypes, type KeyArray } from "../elements.js";
import type { Engine, SortArrays, SortJob } from "../engines/engine.js";
import { InputError } from "../errors.js";
import { requireKnown } from "../names.js";
import type { DeviceTraits } from "../plan/traits.js";
import type { KeyBits, Payload } from "../sort/key.js";
import {
  ArrayStreams,
  allocate,
  bytesOf,
  classOf,
  isShared,
  nameOf,
  newLike,
  overlap,
  type TypedArray,
} from "./arrays.js";
import { type GivenBuffers, regionOf, requireBuffers } from "./buffers.js";
import {
  planSort,
  requireBits,
  requirementsOf,
  type SortDescription,
  type SortRequirements,
} from "./description.js";
import { PreparedSort } from "./prepared.js";

/** The options of `sort`, `sortPairs` and `argsort`. */
export interface SortCall {
  /** Whether to sort in the exact reverse of the ascending order. Equal keys keep their order either way. */
  readonly descending?: boolean | undefined;
  /**
   * The bits of a key that decide the order: `begin` up to, but not including, `end`, where 0 is the least
   * significant bit. NaNs all count as one key. The default is all bits.
   */
  readonly bits?: KeyBits | undefined;
  /**
   * Whether to check the result on the device before it is returned: that it is in order, and that it holds
   * the keys of the input. The default is true.
   */
  readonly verify?: boolean | undefined;
  /**
   * Aborts the call, which then rejects with the signal's reason and writes nothing. The signal has no effect
   * once the result is being written.
   */
  readonly signal?: AbortSignal | undefined;
}

/** Keys, and a value for each key in the same order. */
export interface KeyedValues<K, V> {
  readonly keys: K;
  readonly values: V;
}

/** The buffers of a sort on the device. */
export interface SortBuffers {
  /**
   * The buffer of `capacity` keys, or a range of one. It needs the length of `requirements().keys` and usage
   * STORAGE.
   */
  readonly keys: Supplied;
  /** The values, `payload` bytes per key. Pass it if, and only if, the payload is a number of bytes. */
  readonly values?: Supplied | undefined;
  /** All buffers of `requirements().scratch`, by name. By default the sort makes and owns them. */
  readonly scratch?: Readonly<Record<string, Supplied>> | undefined;
}

/** What a sorter is made of. */
export interface SorterParts {
  readonly engine: Engine;
  /** Absent for a sorter that runs on the CPU. */
  readonly gpu?: Gpu | undefined;
  /** Absent for a sorter that runs on the CPU. */
  readonly traits?: DeviceTraits | undefined;
}

/**
 * Sorts typed arrays, and keys in GPU buffers. `createSorter` returns one.
 *
 * The order is that of `TypedArray.prototype.sort`: -0 comes before +0, and NaNs come last whatever their
 * sign. NaNs keep their payload bits. A sort is stable if it moves values or indices, or if `bits` says what
 * it compares; all NaNs are then equal. Otherwise NaNs are in any order among themselves.
 *
 * Calls that sort arrays may overlap in time; they run one after the other. A sorter on the CPU sorts up to 512
 * KiB of keys before the call returns, which takes about a millisecond. The sorter keeps the memory of the
 * last such call for the next similar one, until `destroy`. On a GPU, that is two or three times the bytes of
 * the keys and values, and about 128 MiB of staging windows; on the CPU, two to five times those of the keys.
 */
export class Sorter implements Disposable {
  /** The name of the device, or "CPU", for messages and reports. */
  readonly name: string;
  /** The device whose buffers `prepare` takes; undefined for a sorter that runs on the CPU. */
  readonly device: GPUDevice | undefined;
  readonly #engine: Engine;
  readonly #gpu: Gpu | undefined;
  readonly #traits: DeviceTraits | undefined;
  readonly #prepared = new Set<PreparedSort>();
  readonly #ended = new AbortController();

  /**
   * Use `createSorter` instead.
   *
   * @internal
   * @param parts the engine; and, unless it runs on the CPU, its device and the traits of that device.
   */
  constructor({ engine, gpu, traits }: SorterParts) {
    this.name = engine.device;
    this.device = gpu?.device;
    this.#engine = engine;
    this.#gpu = gpu;
    this.#traits = traits;
  }

  /**
   * Sorts keys.
   *
   * @param keys the n keys; the call does not change them, unless `into` is the same array.
   * @param call the options of the sort. `into` is an array of the same class and length for the result; it
   *   may be `keys` itself, and the default is a new array. It is written only after the device has checked
   *   the result. If the device is lost meanwhile, or if the copy from the device fails its own check, the
   *   call rejects and leaves wrong keys in it. On the CPU, parts of it are written as soon as each is found to be
   *   in order, unless it shares memory with `keys`; so it also holds wrong keys if their checksums differ at last.
   *   All threads copy arrays that lie in a SharedArrayBuffer, and one thread copies others.
   * @returns the sorted keys: `into`, or a new array.
   * @throws InputError if an array or an option is invalid, if there are more keys than the device can sort
   *   at once, or after `destroy`.
   * @throws DeviceError if the device fails, is lost or runs out of memory.
   * @throws KernelError if a kernel does not compile.
   * @throws VerifyError if the result fails its check.
   * @throws the signal's reason if the signal aborts.
   */
  async sort<K extends KeyArray>(
    keys: K,
    call: SortCall & { readonly into?: K | undefined } = {},
  ): Promise<K> {
    const job = this.#jobOf(keys, call);
    if (call.into !== undefined) requireLike("into", call.into, keys);
    const into = call.into ?? newLike(keys);
    // Keys that are overwritten must not be lost if the sort fails.
    const writesParts = !overlap(keys, into) && !isShared(into);
    const running = this.#run(call, { ...job, writesParts }, { keys: bytesOf(keys), into: bytesOf(into) });
    if (running) await running;
    return into;
  }

  /**
   * Sorts keys, and moves a value with each key. The sort is stable: the values of equal keys keep their
   * order.
   *
   * @param keys the n keys.
   * @param values the n values, end to end in any typed array: n * k elements if a value has k elements. All
   *   values have the same size, a multiple of 4 bytes.
   * @param call the options of the sort. `into` holds two arrays for the result, of the same classes and
   *   lengths as `keys` and `values`, under the same conditions as in `sort`; the default is new arrays.
   *   `into.keys` must not overlap `into.values` or `values`, and `into.values` must not overlap `keys`.
   * @returns the keys and the values in the order of the keys: `into`, or new arrays.
   * @throws the errors of `sort`, under the same conditions; also InputError if the values do not match the
   *   keys.
   */
  async sortPairs<K extends KeyArray, V extends TypedArray>(
    keys: K,
    values: V,
    call: SortCall & { readonly into?: KeyedValues<K, V> | undefined } = {},
  ): Promise<KeyedValues<K, V>> {
    const job = this.#jobOf(keys, call, payloadOf(keys, values));
    if (call.into) {
      requireLike("into.keys", call.into.keys, keys);
      requireLike("into.values", call.into.values, values);
      requireApart("into.keys", call.into.keys, "into.values", call.into.values);
      requireApart("into.keys", call.into.keys, "values", values);
      requireApart("into.values", call.into.values, "keys", keys);
    }
    const into = call.into ?? { keys: newLike(keys), values: newLike(values) };
    const running = this.#run(call, job, {
      keys: bytesOf(keys),
      into: bytesOf(into.keys),
      values: { from: bytesOf(values), into: bytesOf(into.values) },
    });
    if (running) await running;
    return into;
  }

  /**
   * Computes the indices that would sort the keys, and does not move the keys: keys[indices[0]] is the first
   * key of the order. The indices of equal keys ascend.
   *
   * @param keys the n keys; the call does not change them.
   * @param call the options of the sort. `into` is an array for the n indices, under the same conditions as
   *   in `sort`; the default is a new array.
   * @returns the n indices: `into`, or a new array.
   * @throws the errors of `sort`, under the same conditions.
   */
  async argsort(
    keys: KeyArray,
    call: SortCall & { readonly into?: Uint32Array | undefined } = {},
  ): Promise<Uint32Array> {
    const job = this.#jobOf(keys, call, "index");
    if (call.into && (classOf(call.into) !== "Uint32Array" || call.into.length !== keys.length)) {
      throw new InputError(`into is ${nameOf(call.into)} of ${call.into.length} elements`, {
        hint: `pass a Uint32Array of ${keys.length} elements`,
      });
    }
    const into = call.into ?? allocate(4 * keys.length, () => new Uint32Array(keys.length));
    const running = this.#run(call, job, { keys: bytesOf(keys), into: bytesOf(into) }, true);
    if (running) await running;
    return into;
  }

  /**
   * Computes the buffers that a sort on the device needs, and its cost. It makes no buffers, so a caller can
   * use it to allocate the scratch.
   *
   * @param description the sort to plan.
   * @returns the sizes and usages of all buffers, the number of dispatches, and the bytes moved.
   * @throws InputError if the description is invalid, if the device cannot sort that many keys, if the sorter
   *   runs on the CPU, or after `destroy`.
   */
  requirements(description: SortDescription): SortRequirements {
    requireKnown("the description of a sort", description, Object.keys(descriptionNames));
    return requirementsOf(planSort(description, this.#onDevice().traits));
  }

  /**
   * Prepares a sort of keys in GPU buffers, which the caller then encodes into its own encoders.
   *
   * It is a radix sort of 8 bits per pass (6 bits if subgroups have fewer than 16 invocations) and three
   * dispatches per pass. u32 keys take 12 dispatches and 48 bytes moved per key. u64 keys take 24 dispatches
   * and 192 bytes moved per key. A value that moves with its key adds 8 bytes per pass. The scratch has the
   * size of the keys and of values of up to 4 bytes, or twice that size if the input is kept. `requirements`
   * returns the exact numbers. The result is in the caller's buffers or in scratch: see `keys` and `values`
   * of the prepared sort.
   *
   * If the device reads the number of keys, the sort writes nothing past that number in the caller's buffers.
   *
   * @param description the sort and its buffers.
   * @returns the sort, ready to be encoded.
   * @throws InputError if the description or a buffer is invalid, if the sorter runs on the CPU, or after
   *   `destroy`. It is thrown before anything is encoded.
   * @throws DeviceError if the device fails or runs out of memory.
   * @throws KernelError if a kernel does not compile.
   */
  async prepare(description: SortDescription & SortBuffers): Promise<PreparedSort> {
    const { gpu, traits } = this.#onDevice();
    requireKnown("the description of a sort", description, Object.keys(descriptionNames));
    const described = planSort(description, traits);
    const requirements = requirementsOf(described);
    const given = givenBuffers(description, requirements);
    const { keys, values, count, scratch } = requirements;
    const needed = { keys, ...(values ? { values } : {}), ...(count ? { count } : {}), ...scratch };
    const supplied = Object.fromEntries(Object.entries(needed).filter(([name]) => name in given));
    await requireBuffers(gpu, supplied, given);

    const execution = await Execution.prepare(gpu, described.plan, given);
    if (this.#ended.signal.aborted) {
      execution.destroy();
      throw this.#ended.signal.reason;
    }
    const region = (name: string, bytes: number) =>
      regionOf(name, given[name] ?? execution.buffers[name]!, bytes);
    const { plan, keyCount, type, options } = described;
    const valueBytes = options.payload === "index" ? 4 : (options.payload ?? 0);
    const prepared = new PreparedSort(
      {
        execution,
        requirements,
        keys: region(plan.result, keyCount * type.bytes),
        values: plan.values === undefined ? undefined : region(plan.values, keyCount * valueBytes),
      },
      (sort) => this.#prepared.delete(sort),
    );
    this.#prepared.add(prepared);
    return prepared;
  }

  /**
   * Frees everything that the sorter holds on the device, including its prepared sorts. Destroys the device
   * only if the sorter opened it. Calls that are still running fail.
   */
  destroy(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(new InputError("the sorter was destroyed", { hint: "create a new sorter" }));
    for (const sort of this.#prepared) sort.destroy();
    this.#engine.close();
  }

  /** Calls `destroy`. */
  [Symbol.dispose](): void {
    this.destroy();
  }

  #onDevice(): { gpu: Gpu; traits: DeviceTraits } {
    this.#ended.signal.throwIfAborted();
    if (this.#gpu && this.#traits) return { gpu: this.#gpu, traits: this.#traits };
    throw new InputError(`this sorter runs on the ${this.name}, which has no GPU buffers`, {
      hint: "create the sorter on a GPU device, or sort typed arrays",
    });
  }

  /**
   * @throws InputError if the keys or the options are invalid, or if the device cannot sort that many keys.
   */
  #jobOf(keys: KeyArray, call: SortCall, payload?: Payload): SortJob {
    requireKnown("a call of the sorter", call, callNames);
    const { descending = false, bits, verify = true } = call;
    const type = typeOf(keys);
    const keyCount = keys.length;
    requireBits(bits, type);
    if (this.#traits) planSort({ type: type.name, capacity: keyCount, bits, payload }, this.#traits);
    const payloadBytes = payload === "index" ? undefined : payload;
    return { type, keyCount, descending, bits, payloadBytes, algorithm: "auto", verify };
  }

  /**
   * Sorts few keys before it returns.
   *
   * @param indices whether `arrays.into` takes indices instead of keys.
   * @returns undefined if it has; else a promise, as it sorts later.
   */
  #run(call: SortCall, job: SortJob, arrays: SortArrays, indices = false): Promise<void> | undefined {
    this.#ended.signal.throwIfAborted();
    call.signal?.throwIfAborted();
    return this.#engine.sortAtOnce?.(job, arrays, indices)
      ? undefined
      : this.#runLater(call, job, arrays, indices);
  }

  async #runLater(call: SortCall, job: SortJob, arrays: SortArrays, indices: boolean): Promise<void> {
    const signals = [this.#ended.signal, ...(call.signal ? [call.signal] : [])];
    const streams = new ArrayStreams(AbortSignal.any(signals));
    await streams.settle(() => streams.sort(this.#engine, job, arrays, indices));
  }
}

const callNames: readonly (keyof SortCall | "into")[] = ["descending", "bits", "verify", "signal", "into"];

/** The compiler asks for a row for each field, so that no field is refused as unknown. */
const descriptionNames: Record<keyof (SortDescription & SortBuffers), true> = {
  type: true,
  capacity: true,
  count: true,
  descending: true,
  bits: true,
  payload: true,
  input: true,
  keys: true,
  values: true,
  scratch: true,
};

/** Finds the type by the class name, so that arrays of another realm are accepted too. */
function typeOf(keys: unknown): ElementType {
  const name = classOf(keys);
  const type = elementTypes.find(({ array }) => array.name === name);
  if (type) return type;
  throw new InputError(`cannot sort ${nameOf(keys)}`, {
    hint: `pass one of ${elementTypes.map(({ array }) => array.name).join(", ")}`,
  });
}

/** @returns the bytes per value. */
function payloadOf(keys: KeyArray, values: TypedArray): number {
  typeOf(keys);
  if (classOf(values) === undefined) {
    throw new InputError(`values is ${nameOf(values)}`, { hint: "pass a typed array" });
  }
  if (keys.length === 0 && values.length === 0) return 4;
  const bytes = values.byteLength / keys.length;
  if (Number.isInteger(bytes) && bytes > 0 && bytes % 4 === 0) return bytes;
  throw new InputError(
    `${values.length} values of ${values.BYTES_PER_ELEMENT} bytes do not match ${keys.length} keys`,
    { hint: "pass one value per key, each of the same size, a multiple of 4 bytes" },
  );
}

function requireLike(name: string, into: TypedArray, like: TypedArray): void {
  if (classOf(into) === classOf(like) && into.length === like.length) return;
  throw new InputError(`${name} is ${nameOf(into)} of ${into?.length} elements`, {
    hint: `pass a ${classOf(like)} of ${like.length} elements`,
  });
}

function requireApart(aName: string, a: ArrayBufferView, bName: string, b: ArrayBufferView): void {
  if (!overlap(a, b)) return;
  throw new InputError(`${aName} and ${bName} overlap in memory`, {
    hint: "pass arrays that do not overlap",
  });
}

/** @throws InputError if a buffer is missing, or if a buffer is passed that the sort does not use. */
function givenBuffers(
  { keys, values, count, payload, scratch }: SortDescription & SortBuffers,
  requirements: SortRequirements,
): GivenBuffers {
  if (values === undefined && requirements.values) {
    throw new InputError(`a payload of ${payload} bytes needs values`, {
      hint: "pass values, a GPUBuffer or { buffer, offset }",
    });
  }
  if (values !== undefined && !requirements.values) {
    throw new InputError(`values are passed with ${payload ? `payload "${payload}"` : "no payload"}`, {
      hint: "set payload to the bytes per value, a multiple of 4",
    });
  }
  if (count === "gpu") {
    throw new InputError('count is "gpu", which names no buffer', {
      hint: "pass the GPUBuffer or { buffer, offset } that holds the count, or a number",
    });
  }
  if (scratch) {
    const missing = Object.keys(requirements.scratch).filter((name) => !scratch[name]);
    if (missing.length > 0) {
      throw new InputError(`scratch lacks ${missing.join(", ")}`, {
        hint: "pass every buffer of requirements().scratch for the same description, or omit scratch",
      });
    }
  }
  const wanted = Object.keys(requirements.scratch).map((name) => [name, scratch?.[name]] as const);
  return Object.fromEntries(
    [
      ["keys", keys] as const,
      ["values", values] as const,
      ["count", requirements.count ? (count as Supplied) : undefined] as const,
      ...wanted,
    ].flatMap(([name, one]) => (one === undefined && name !== "keys" ? [] : [[name, one as Supplied]])),
  );
}
