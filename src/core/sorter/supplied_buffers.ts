import type { Supplied } from "../device/execute.js";
import { InputError } from "../errors.js";
import { requireKnown, shown } from "../names.js";
import { isWord, regionOf, type SuppliedBuffers } from "./buffers.js";
import { type SortDescription, type SortRequirements, wordWindow } from "./description.js";

/** The buffers of a sort on the device. */
export interface SortBuffers {
  /**
   * The buffer of `capacity` keys, or a range of one. It needs the length of `requirements().keys` and usage
   * STORAGE.
   */
  readonly keys: Supplied;
  /**
   * The buffer of the values, `payload` bytes per key, or a range of one, with usage STORAGE. With payload
   * "index" it takes the indices, and its contents do not matter; it must be another buffer than that of the
   * keys, and the default is one that the sort makes and owns. It needs the length of `requirements().values`.
   */
  readonly values?: Supplied | undefined;
  /**
   * All buffers of `requirements().scratch`, by name; others are ignored. Several sorts may have the same
   * ones: see `Sorter.createScratch`. By default the sort makes and owns them.
   */
  readonly scratch?: Readonly<Record<string, Supplied>> | undefined;
}

/** The compiler asks for a row for each field, so that no field is refused as unknown. */
const descriptionNames = Object.keys({
  type: true,
  capacity: true,
  count: true,
  descending: true,
  bits: true,
  payload: true,
  input: true,
  output: true,
  segments: true,
  top: true,
  sorted: true,
  unique: true,
  keys: true,
  values: true,
  scratch: true,
} satisfies Record<keyof (SortDescription & SortBuffers), true>);

/** @throws InputError if a field of the description is unknown. */
export function requireDescription(description: SortDescription): void {
  requireKnown("the description of a sort", description, descriptionNames);
}

function requireScratch(scratch: unknown): void {
  if (typeof scratch === "object" && scratch !== null) return;
  throw new InputError(`scratch is ${shown(scratch)}`, {
    hint: "pass an object of buffers by name, such as createScratch returns, or omit scratch",
  });
}

/**
 * The descriptions of a call that takes one or several.
 *
 * @returns copies, which stay as they are if the caller changes its own for another sort.
 */
export function descriptionsOf(
  descriptions: SortDescription | readonly SortDescription[],
): readonly SortDescription[] {
  const all = [descriptions].flat() as readonly SortDescription[];
  return all.map((one) => {
    requireDescription(one);
    return { ...one };
  });
}

/** The buffers as they are bound: ranges that may begin at the first byte without saying so. */
export function boundBuffers(supplied: SuppliedBuffers): SuppliedBuffers {
  const ranges = Object.entries(supplied).map(([name, one]) => {
    const range = regionOf(name, one, 0);
    return [name, isWord(name) ? wordWindow(range) : range] as const;
  });
  return Object.fromEntries(ranges);
}

/** @throws InputError if a buffer is missing, or if a buffer is passed that the sort does not use. */
export function suppliedBuffers(
  { keys, values, count, segments, payload, scratch }: SortDescription & SortBuffers,
  requirements: SortRequirements,
): SuppliedBuffers {
  if (values === undefined && requirements.values && payload !== "index") {
    throw new InputError(`a payload of ${payload} bytes needs values`, {
      hint: "pass values, a GPUBuffer or { buffer, offset }",
    });
  }
  if (values !== undefined && !requirements.values) {
    throw new InputError("values are passed with no payload", {
      hint: 'set payload to the bytes per value, a multiple of 4, or to "index"',
    });
  }
  if (count === "gpu") {
    throw new InputError('count is "gpu", which names no buffer', {
      hint: "pass the GPUBuffer or { buffer, offset } that holds the count, or a number",
    });
  }
  if (segments && segments.offsets === undefined) {
    throw new InputError("segments have no offsets", {
      hint: "pass segments: { capacity, offsets } with a GPUBuffer or { buffer, offset } of capacity + 1 numbers",
    });
  }
  if (scratch !== undefined) {
    requireScratch(scratch);
    const missing = Object.keys(requirements.scratch).filter((name) => !scratch[name]);
    if (missing.length > 0) {
      throw new InputError(`scratch lacks ${missing.join(", ")}`, {
        hint: "pass every buffer of requirements().scratch for the same description, or omit scratch",
      });
    }
  }
  const scratchBuffers = Object.keys(requirements.scratch).map((name) => [name, scratch?.[name]] as const);
  return Object.fromEntries(
    [
      ["keys", keys] as const,
      ["values", values] as const,
      ["count", requirements.count ? (count as Supplied) : undefined] as const,
      ["segments", segments?.offsets] as const,
      ...scratchBuffers,
    ].flatMap(([name, one]) => (one === undefined && name !== "keys" ? [] : [[name, one as Supplied]])),
  );
}
