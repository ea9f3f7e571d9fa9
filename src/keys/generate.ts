import type { ElementType, KeyArray } from "../elements.js";
import { InputError } from "../errors.js";
import type { Item } from "../formats/format.js";
import { mix } from "../twins/order.js";
import { type Placement as Distribution, placements as distributions } from "./placements.js";

export interface GenerateOptions {
  readonly distribution: Distribution;
  readonly seed: number;
  /** How many keys there are in all, of which this is a part. */
  readonly total: number;
}

/** @throws InputError if there is no distribution of that name, or none for that type. */
export function distribution(name: string, type: ElementType): Distribution {
  const found = distributions.find((one) => one.name === name);
  if (!found) {
    throw new InputError(`unknown distribution '${name}'`, {
      hint: `use one of ${distributions.map((one) => one.name).join(", ")}`,
    });
  }
  if (found.floatsOnly && type.order !== "float") {
    throw new InputError(`${type.name} has no NaNs, so there is no '${name}' of it`, {
      hint: "name a float with --type, or another --distribution",
    });
  }
  return found;
}

/**
 * Fills `into` with the items from number `offset` on. Random numbers are a counter's, mixed (J. K. Salmon et al.,
 * "Parallel Random Numbers: As Easy as 1, 2, 3", 2011), so that any part can be made without the ones before it.
 */
export function generate(into: Uint8Array, item: Item, offset: number, options: GenerateOptions): void {
  const count = into.length / item.bytes;
  const { distribution, total } = options;
  const noise = new Noise(options.seed);
  let index = 0;
  const random = (k: number) => noise.fraction(index, k);
  const place = (i: number) => {
    index = offset + i;
    // Rounding must not reach 1, which is past the greatest value.
    return Math.min(distribution.place(index, total, random), 1 - 2 ** -53);
  };
  if (item.kind === "key") {
    const keys: KeyArray = new item.type.array(into.buffer as ArrayBuffer, into.byteOffset, count);
    const set = setter(keys, item.type);
    for (let i = 0; i < count; i++) set(i, place(i), offset + i, noise);
  } else {
    for (let i = 0; i < count; i++) {
      fillRecord(into.subarray(i * item.bytes, (i + 1) * item.bytes), place(i), offset + i, noise);
    }
  }
}

/**
 * Random words of a counter, another for another k. A sum of two permutations of the counter: one alone would give
 * every word once.
 */
class Noise {
  readonly #seed: number;
  readonly #streams: number[] = [];

  constructor(seed: number) {
    this.#seed = seed;
  }

  word(index: number, k: number): number {
    this.#streams[k] ??= mix(this.#seed ^ Math.imul(k + 1, 0x9e3779b1));
    let stream = this.#streams[k]!;
    if (index >= 2 ** 32) stream ^= mix(Math.floor(index / 2 ** 32));
    return mix(mix(index ^ stream) + mix(Math.imul(index, 0x9e3779b1) + stream));
  }

  /** From 0 up to 1, in steps of 2^-53. */
  fraction(index: number, k: number): number {
    return ((this.word(index, 2 * k) >>> 5) * 2 ** 26 + (this.word(index, 2 * k + 1) >>> 6)) * 2 ** -53;
  }
}

type Set = (i: number, place: number, index: number, noise: Noise) => void;

/** Of the words that no distribution asks for. */
const SPARE = 90;

function setter(keys: KeyArray, type: ElementType): Set {
  const bits = 8 * type.bytes;
  if (type.order === "float") return floatSetter(keys, type);
  if (bits < 64) {
    const least = type.order === "signed" ? -(2 ** (bits - 1)) : 0;
    return (i, place) => {
      keys[i] = Math.floor(place * 2 ** bits) + least;
    };
  }
  // A double has 53 bits: the others are random, and below those that decide the order of different places.
  const words = new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
  const flip = type.order === "signed" ? 0x8000_0000 : 0;
  return (i, place, index, noise) => {
    const scaled = place * 2 ** 32;
    const high = Math.floor(scaled);
    words[2 * i + 1] = (high ^ flip) >>> 0;
    words[2 * i] = Math.floor((scaled - high) * 2 ** 21) * 2 ** 11 + spread(place, index, noise);
  };
}

/** For the lowest bits of a key: nothing where the distribution gives few values, so that they stay few. */
function spread(place: number, index: number, noise: Noise): number {
  return place * 2 ** 24 === Math.floor(place * 2 ** 24) ? 0 : noise.word(index, SPARE) >>> 21;
}

/** Numbers from 0 up to 1 as they are; NaNs with random payloads and of both signs. */
function floatSetter(keys: KeyArray, type: ElementType): Set {
  const wide = new Uint8Array(keys.buffer, keys.byteOffset, keys.byteLength);
  const view = new DataView(wide.buffer, wide.byteOffset, wide.byteLength);
  const scale = type.bytes === 8 ? 1 : 1 - 2 ** -11;
  return (i, place, index, noise) => {
    if (!Number.isNaN(place)) {
      keys[i] = place * scale;
      return;
    }
    keys[i] = Number.NaN;
    const at = i * type.bytes;
    const payload = noise.word(index, SPARE);
    view.setUint8(at, payload & 0xff);
    if (type.bytes > 2) view.setUint8(at + 1, (payload >>> 8) & 0xff);
    view.setUint8(at + type.bytes - 1, view.getUint8(at + type.bytes - 1) | ((payload >>> 16) & 0x80));
  };
}

/** As gensort's: ten bytes that are the key, the record's number, and filling that belongs to it. */
function fillRecord(record: Uint8Array, place: number, index: number, noise: Noise): void {
  const KEY_BYTES = 10;
  let rest = place;
  for (let at = 0; at < Math.min(KEY_BYTES, record.length); at++) {
    rest *= 256;
    const byte = at < 6 ? Math.floor(rest) : noise.word(index, SPARE + at) & (place === 0.5 ? 0 : 0xff);
    record[at] = byte;
    rest -= Math.floor(rest);
  }
  const number = index.toString(16).toUpperCase().padStart(16, "0");
  for (let at = KEY_BYTES; at < record.length; at++) {
    const inNumber = at - KEY_BYTES;
    record[at] = inNumber < 16 ? number.charCodeAt(inNumber) : 65 + ((index + at) % 26);
  }
}
