import { Execution, type Supplied } from "../device/execute.js";
import type { Gpu } from "../device/gpu.js";
import { type ElementType, elementTypes, type KeyArray } from "../elements.js";
import type { Engine, SortJob } from "../engines/engine.js";
import { InputError } from "../errors.js";
import type { DeviceTraits } from "../plan/traits.js";
import type { KeyBits, Payload } from "../sort/key.js";
import { ArrayStreams, allocate, classOf, nameOf, newLike, overlap, type TypedArray } from "./arrays.js";
import { type GivenBuffers, regionOf, requireBuffers } from "./buffers.js";
import {
  describe,
  requireBits,
  requirementsOf,
  type SortDescription,
  type SortRequirements,
} from "./description.js";
import { PreparedSort } from "./prepared.js";

/** What a one-shot sort may be told. */
export interface SortCall {
  /** The exact reverse of the ascending order of keys; equal keys keep their order either way. */
  readonly descending?: boolean | undefined;
  /** The bits of a key that decide, [begin, end), 0 the least significant; all without it. */
  readonly bits?: KeyBits | undefined;
  /** Whether to check the result, on the device, before it is handed out: its order, and that it holds the input's keys. True without it. */
  readonly verify?: boolean | undefined;
  /** Ends the call with the signal's reason; nothing is written then. */
  readonly signal?: AbortSignal | undefined;
}

export interface KeyedValues<K, V> {
  readonly keys: K;
  readonly values: V;
}

/** The buffers of a sort on the device. */
export interface SortBuffers {
  /** `capacity` keys, from `offset` bytes on; at least as long as `requirements` says, with usage STORAGE. */
  readonly keys: Supplied;
  /** As many values of `payload` bytes; only where the payload is a number. */
  readonly values?: Supplied | undefined;
  /** All that `requirements().scratch` names; made, and owned, by the sort without it. */
  readonly scratch?: Readonly<Record<string, Supplied>> | undefined;
}

/** What a sorter sorts with. */
export interface SorterParts {
  readonly engine: Engine;
  /** Absent where there is no device, but the CPU. */
  readonly gpu?: Gpu | undefined;
  readonly traits?: DeviceTraits | undefined;
}

/**
 * Sorts typed arrays, and keys in GPU buffers. Made by `createSorter`.
 *
 * The order is that of `TypedArray.prototype.sort`: -0 before +0, NaNs last whatever their sign, and their payload bits
 * kept. Every sort that moves values or indices, or looks at some of the bits, is stable.
 *
 * Calls with arrays may overlap in time; they run one after the other. The device memory of the last of them is kept for the
 * next one like it, until `destroy`: two or three times the bytes of its keys and values, and some 128 MiB of windows to
 * move them through.
 */
export class Sorter implements Disposable {
  /** What it runs on, for people. */
  readonly name: string;
  /** Whose buffers `prepare` takes; undefined for a sorter that runs on the CPU. */
  readonly device: GPUDevice | undefined;
  readonly #engine: Engine;
  readonly #gpu: Gpu | undefined;
  readonly #traits: DeviceTraits | undefined;
  readonly #prepared = new Set<PreparedSort>();
  readonly #ended = new AbortController();

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
   * @param keys n keys; they are left as they are.
   * @param into an array of the same class and length to write the result to, `keys` itself if you like, once the result has
   *   passed its check; a new one without it. Only a device that is lost while it is written leaves it half-written.
   * @returns the sorted keys: `into`, or a new array.
   * @throws InputError for an array that cannot be sorted, DeviceError, VerifyError, or the signal's reason.
   */
  async sort<K extends KeyArray>(
    keys: K,
    call: SortCall & { readonly into?: K | undefined } = {},
  ): Promise<K> {
    const job = this.#jobOf(keys, call);
    if (call.into !== undefined) requireLike("into", call.into, keys);
    const into = call.into ?? newLike(keys);
    await this.#run(call, (streams) => this.#engine.sort(job, streams.source(keys), streams.sink(into)));
    return into;
  }

  /**
   * Sorts keys, and takes along a value with each; equal keys' values keep their order.
   *
   * @param keys n keys.
   * @param values n values of one size, a multiple of 4 bytes, end to end in any typed array: of n * k elements, if a value
   *   has k of them.
   * @param into arrays of the same classes and lengths, on the terms that `sort` has.
   * @returns keys and values in the order of the keys: `into`, or new arrays.
   * @throws InputError, DeviceError, VerifyError, or the signal's reason, as `sort` does.
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
    await this.#run(call, (streams) =>
      this.#engine.sort(job, streams.source(keys), streams.sink(into.keys), {
        source: streams.source(values),
        sink: streams.sink(into.values),
      }),
    );
    return into;
  }

  /**
   * Tells where the keys belong, and leaves them where they are: keys[indices[0]] is the first, and equal keys' indices
   * ascend.
   *
   * @param keys n keys.
   * @param into n indices, on the terms that `sort` has.
   * @returns n indices: `into`, or a new array.
   * @throws InputError, DeviceError, VerifyError, or the signal's reason, as `sort` does.
   */
  async argsort(
    keys: KeyArray,
    call: SortCall & { readonly into?: Uint32Array | undefined } = {},
  ): Promise<Uint32Array> {
    const job = this.#jobOf(keys, call, "index");
    if (call.into && (classOf(call.into) !== "Uint32Array" || call.into.length !== keys.length)) {
      throw new InputError(`into is ${call.into.length} elements of ${nameOf(call.into)}`, {
        hint: `pass a Uint32Array of ${keys.length}`,
      });
    }
    const into = call.into ?? allocate(4 * keys.length, () => new Uint32Array(keys.length));
    await this.#run(call, (streams) => this.#engine.argsort(job, streams.source(keys), streams.sink(into)));
    return into;
  }

  /**
   * What a sort on the device needs and costs, before there are any buffers: for a caller that owns the scratch.
   *
   * @throws InputError if the description cannot be sorted on this device.
   */
  requirements(description: SortDescription): SortRequirements {
    return requirementsOf(describe(description, this.#onDevice().traits));
  }

  /**
   * Makes a sort of keys in GPU buffers ready, to be encoded into encoders of the caller's.
   *
   * Radix, 8 bits a pass (fewer where the device is narrow), three dispatches a pass: 12 dispatches and 48 bytes moved for a
   * u32 key, 24 and 192 for a u64 key, 8 bytes more a pass for a value that travels. Scratch is the keys, and values of up to
   * 4 bytes, once more, twice where the input is kept. `requirements` tells it exactly. The result is in the caller's
   * buffers or in scratch: the prepared sort's `keys` and `values` say where.
   *
   * Where the device counts the keys, nothing of the caller's beyond the count is written.
   *
   * @throws InputError for a description or a buffer that cannot be, before anything is encoded; DeviceError if the device
   *   gives no memory; KernelError if a kernel does not compile.
   */
  async prepare(description: SortDescription & SortBuffers): Promise<PreparedSort> {
    const { gpu, traits } = this.#onDevice();
    const described = describe(description, traits);
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
   * Frees all that it holds on the device, prepared sorts included, and the device itself if the sorter opened it. Calls under
   * way fail.
   */
  destroy(): void {
    if (this.#ended.signal.aborted) return;
    this.#ended.abort(new InputError("the sorter was destroyed", { hint: "create another" }));
    for (const sort of this.#prepared) sort.destroy();
    this.#engine.close();
  }

  [Symbol.dispose](): void {
    this.destroy();
  }

  #onDevice(): { gpu: Gpu; traits: DeviceTraits } {
    this.#ended.signal.throwIfAborted();
    if (this.#gpu && this.#traits) return { gpu: this.#gpu, traits: this.#traits };
    throw new InputError(`this sorter runs on the ${this.name}, which has no GPU buffers`, {
      hint: "create it for a device, or sort typed arrays",
    });
  }

  /** @throws InputError for what cannot be sorted here. */
  #jobOf(keys: KeyArray, call: SortCall, payload?: Payload): SortJob {
    const { descending = false, bits, verify = true } = call;
    const type = typeOf(keys);
    const keyCount = keys.length;
    requireBits(bits, type);
    if (this.#traits) describe({ type: type.name, capacity: keyCount, bits, payload }, this.#traits);
    const payloadBytes = payload === "index" ? undefined : payload;
    return { type, keyCount, descending, bits, payloadBytes, algorithm: "auto", verify };
  }

  #run(call: SortCall, work: (streams: ArrayStreams) => Promise<unknown>): Promise<unknown> {
    const signals = [this.#ended.signal, ...(call.signal ? [call.signal] : [])];
    const streams = new ArrayStreams(AbortSignal.any(signals));
    return streams.settle(() => work(streams));
  }
}

/** By the name of its class, so that an array of another realm will do. */
function typeOf(keys: unknown): ElementType {
  const name = classOf(keys);
  const type = elementTypes.find(({ array }) => array.name === name);
  if (type) return type;
  throw new InputError(`cannot sort ${nameOf(keys)}`, {
    hint: `pass one of ${elementTypes.map(({ array }) => array.name).join(", ")}`,
  });
}

/** Bytes a value. */
function payloadOf(keys: KeyArray, values: TypedArray): number {
  typeOf(keys);
  if (classOf(values) === undefined) {
    throw new InputError(`values is ${nameOf(values)}`, { hint: "pass a typed array" });
  }
  if (keys.length === 0 && values.length === 0) return 4;
  const bytes = values.byteLength / keys.length;
  if (Number.isInteger(bytes) && bytes > 0 && bytes % 4 === 0) return bytes;
  throw new InputError(
    `${values.length} values of ${values.BYTES_PER_ELEMENT} bytes do not go with ${keys.length} keys`,
    { hint: "pass a value for each key, all of one size, a multiple of 4 bytes" },
  );
}

function requireLike(name: string, into: TypedArray, like: TypedArray): void {
  if (classOf(into) === classOf(like) && into.length === like.length) return;
  throw new InputError(`${name} is ${nameOf(into)} of ${into?.length} elements`, {
    hint: `pass a ${classOf(like)} of ${like.length}`,
  });
}

function requireApart(aName: string, a: ArrayBufferView, bName: string, b: ArrayBufferView): void {
  if (!overlap(a, b)) return;
  throw new InputError(`${aName} and ${bName} overlap in memory`, { hint: "pass arrays apart" });
}

/** @throws InputError where a buffer is missing, or given for what is not there. */
function givenBuffers(
  { keys, values, count, payload, scratch }: SortDescription & SortBuffers,
  requirements: SortRequirements,
): GivenBuffers {
  if (values === undefined && requirements.values) {
    throw new InputError(`a payload of ${payload} bytes is without values`, {
      hint: "pass values, a GPUBuffer or { buffer, offset }",
    });
  }
  if (values !== undefined && !requirements.values) {
    throw new InputError(`values are given with ${payload ? `payload "${payload}"` : "no payload"}`, {
      hint: "pass payload: the bytes of a value, a multiple of 4",
    });
  }
  if (count === "gpu") {
    throw new InputError("count is on the device, but in no buffer", {
      hint: "pass count, a GPUBuffer or { buffer, offset }, or a number",
    });
  }
  if (scratch) {
    const missing = Object.keys(requirements.scratch).filter((name) => !scratch[name]);
    if (missing.length > 0) {
      throw new InputError(`scratch lacks ${missing.join(", ")}`, {
        hint: "pass all that requirements().scratch names, of the same description, or no scratch at all",
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
