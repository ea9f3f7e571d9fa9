import { rangeOfBits } from "../bytes.js";
import type { ElementType } from "../elements.js";
import { linearGrid } from "../plan/grid.js";
import { arrayBytes, type Binding, bufferBytes, type Pass, type Plan } from "../plan/plan.js";
import { cooperativeWorkgroupSize, type DeviceTraits } from "../plan/traits.js";
import { params, program } from "../shaders/kernels.js";
import type { Totals } from "./evidence.js";
import {
  allBits,
  type Bound,
  comparedParts,
  keyParts,
  maskOf,
  type SegmentCounts,
  type SortOptions,
  type ValuesVariant,
} from "./key.js";
import { bindWindow, type Window, windowsOf, windowUnit } from "./windows.js";

/** The twelve words of the struct `Totals` in wgsl/inspect/inspect.wgsl. */
const TOTALS_BYTES = 48;

/**
 * Enough workgroups to keep any GPU or CPU busy, and few enough that combining their totals takes no
 * noticeable time.
 */
const MAX_WORKGROUPS = { hardware: 4096, software: 64 };

/** On a CPU, to combine the findings of two invocations takes about as long as to inspect several keys. */
const MIN_KEYS_PER_INVOCATION = { hardware: 1, software: 16 };

/** Which keys are inspected, and which of them count. */
export interface InspectOptions extends SortOptions {
  /** Whether only the first of equal keys counts; by default all keys do. */
  readonly unique?: boolean | undefined;
  /**
   * Which keys these are, if a sort counts equal keys: "all" of them, or the "first" of equal ones, whose
   * values are the counts, a word each. By default equal keys are not counted.
   */
  readonly counting?: "all" | "first" | undefined;
  /** The last compared form that is inspected, in the bits that are sorted by; by default all keys are. */
  readonly upTo?: Bound | undefined;
}

/** The side of a sort that is inspected. If the payload is "index", the input has no values in memory. */
export type Side = "input" | "result";

/**
 * A plan that inspects `keyCount` keys of the buffer "keys", and their values in the buffer "values" if there
 * are any. It adds its findings to the buffer "totals" (48 bytes), which must be zero before; `readTotals`
 * reads them. It reads every key twice, the second time as the right neighbour of the key before it. The
 * probability that `checkTotals` misses a wrong result is about 2^-64. If the payload is "index" and one
 * binding holds all keys, the indices of equal keys must ascend; otherwise they count as neighbours in the
 * wrong order.
 */
export function inspectPlan(
  keyCount: number,
  type: ElementType,
  options: InspectOptions,
  traits: DeviceTraits,
  side: Side = "result",
): Plan {
  const { payload = options.counting === "first" ? 4 : 0 } = options;
  const isIndex = payload === "index";
  const value = payload === 0 ? undefined : isIndex && side === "input" ? "index" : "word";
  const valueBytes = isIndex ? 4 : payload;
  // A pass also binds the key after its window: the right neighbour of the window's last key.
  const maxBytes = traits.limits.maxStorageBufferBindingSize - type.bytes;
  const windows = windowsOf(keyCount, windowUnit(1), Math.max(type.bytes, valueBytes), maxBytes);
  const whole = windows.length === 1;
  const job = { keyCount, type, options, traits, value, valueBytes, whole } as const;
  return {
    buffers: {
      keys: { bytes: arrayBytes(keyCount, type.bytes) },
      totals: { bytes: TOTALS_BYTES },
      ...(value === "word" ? { values: { bytes: arrayBytes(keyCount, valueBytes) } } : {}),
    },
    passes: windows.map((window) => inspectPass(job, window)),
    result: "totals",
  };
}

/** What all passes of an inspection share. */
interface InspectJob {
  readonly keyCount: number;
  readonly type: ElementType;
  readonly options: InspectOptions;
  readonly traits: DeviceTraits;
  /** The value of a key: in the buffer "values", or its index; undefined for none. */
  readonly value: ValuesVariant;
  readonly valueBytes: number;
  /** Whether one window has all keys. */
  readonly whole: boolean;
}

/** The pass that inspects the keys of a window. */
function inspectPass(job: InspectJob, window: Window): Pass {
  const { keyCount, type, options, traits, value, valueBytes, whole } = job;
  const { counting } = options;
  const workgroupSize = cooperativeWorkgroupSize(256, traits);
  const processor = traits.software ? "software" : "hardware";
  const keysPerWorkgroup = workgroupSize * MIN_KEYS_PER_INVOCATION[processor];
  const enough = Math.ceil(window.count / keysPerWorkgroup);
  const workgroups = Math.max(1, Math.min(MAX_WORKGROUPS[processor], enough));
  const isLast = window.begin + window.count === keyCount;
  const withNeighbour = { begin: window.begin, count: isLast ? window.count : window.count + 1 };
  const bindings: Binding[] = [
    bindWindow("keys", withNeighbour, type.bytes, whole),
    "totals",
    ...(value === "word" ? [bindWindow("values", window, valueBytes, whole)] : []),
  ];
  const key = keyParts(type, options);
  const order = orderedNeighbours(type, options);
  return {
    program: program("inspect", {
      variants: {
        ...order.variants,
        hash: key.variants.order,
        same: key.variants.order,
        inspected_value: value,
      },
      constants: {
        ...order.constants,
        KEY_BITS: 8 * type.bytes,
        WORKGROUP_SIZE: workgroupSize,
        VALUE_WORDS: valueBytes / 4,
        STABLE: options.payload === "index" && whole ? 1 : 0,
        UNIQUE: options.unique ? 1 : 0,
        BOUNDED: options.upTo ? 1 : 0,
        COUNTING: counting === undefined ? 0 : counting === "all" ? 1 : 2,
        ...(value === "word" ? { VALUES: 2 } : {}),
        PARAMS: bindings.length,
      },
    }),
    bindings,
    params: params("inspect", {
      keyCount: window.count,
      stride: workgroups * workgroupSize,
      begin: window.begin,
      boundLow: options.upTo?.[0] ?? 0,
      boundHigh: options.upTo?.[1] ?? 0,
      neighbours: isLast ? Math.max(0, window.count - 1) : window.count,
    }),
    grid: [workgroups, 1, 1],
  };
}

/** The variants and constants that say which neighbours are in the wrong order. */
function orderedNeighbours(type: ElementType, options: SortOptions) {
  const key = keyParts(type, options);
  const compared = comparedParts(type, options);
  const bits = options.bits ?? allBits(type);
  return {
    variants: { ...key.variants, ...compared.variants },
    constants: {
      ...key.constants,
      ...compared.constants,
      MASK_LOW: maskOf(bits, 0),
      MASK_HIGH: maskOf(bits, 32),
    },
  };
}

/**
 * A plan that counts the pairs of neighbours in the wrong order between which a segment begins. It adds their
 * number to the buffer "findings", which must be zero before. After a segmented sort, an inspection of the keys
 * must have found as many inversions. One binding must hold all keys, and another all values.
 */
export function inspectSegmentsPlan(
  { keyCount, segmentCount }: SegmentCounts,
  type: ElementType,
  options: SortOptions,
  traits: DeviceTraits,
): Plan {
  const workgroupSize = cooperativeWorkgroupSize(256, traits);
  const offsets = segmentCount + 1;
  const workgroups = Math.min(MAX_WORKGROUPS.hardware, Math.ceil(offsets / workgroupSize));
  const isIndex = options.payload === "index";
  const order = orderedNeighbours(type, options);
  const pass: Pass = {
    program: program("inspect_segments", {
      variants: { ...order.variants, inspected_value: isIndex ? "word" : undefined },
      constants: {
        ...order.constants,
        STABLE: isIndex ? 1 : 0,
        WORKGROUP_SIZE: workgroupSize,
        OFFSETS: 2,
        ...(isIndex ? { VALUES: 3, VALUE_WORDS: 1, PARAMS: 4 } : { PARAMS: 3 }),
      },
    }),
    bindings: ["keys", "findings", "segments", ...(isIndex ? ["values"] : [])],
    params: params("inspect_segments", {
      keyCount,
      stride: workgroups * workgroupSize,
      begin: 0,
      boundLow: 0,
      boundHigh: 0,
      neighbours: offsets,
    }),
    grid: [workgroups, 1, 1],
  };
  return {
    buffers: {
      keys: { bytes: arrayBytes(keyCount, type.bytes) },
      findings: { bytes: bufferBytes(4) },
      segments: { bytes: arrayBytes(offsets, 4) },
      ...(isIndex ? { values: { bytes: arrayBytes(keyCount, 4) } } : {}),
    },
    passes: [pass],
    result: "findings",
  };
}

interface FirstCounts extends SegmentCounts {
  /** How many keys are checked. The buffer "starts" says where those of each segment begin. */
  readonly firstCount: number;
}

/**
 * A plan that checks the first keys of segments in the buffer "first_keys", each by one workgroup: whether they
 * are the first ones of the segment in the buffer "keys", in any order. It adds the numbers of wrong segments
 * and of all segments to the buffer "findings", which must be zero before. If the payload is "index", the
 * buffer "first_values" has the indices. Keys alone must be compared by all of their bits. The probability that
 * a wrong result is missed is about 2^-64.
 */
export function inspectFirstPlan(
  { keyCount, segmentCount, firstCount }: FirstCounts,
  type: ElementType,
  options: SortOptions,
  traits: DeviceTraits,
): Plan {
  const isIndex = options.payload === "index";
  const key = keyParts(type, options);
  const order = orderedNeighbours(type, options);
  const pass: Pass = {
    program: program("inspect_first", {
      variants: {
        ...order.variants,
        hash: key.variants.order,
        inspected_value: isIndex ? "word" : undefined,
      },
      constants: {
        ...order.constants,
        STABLE: isIndex ? 1 : 0,
        WORKGROUP_SIZE: cooperativeWorkgroupSize(256, traits),
        SOURCE: 4,
        ...(isIndex ? { VALUES: 5, VALUE_WORDS: 1, PARAMS: 6 } : { PARAMS: 5 }),
      },
    }),
    bindings: ["keys", "first_keys", "starts", "findings", "segments", ...(isIndex ? ["first_values"] : [])],
    params: params("inspect_first", { keyCount, segments: segmentCount }),
    grid: linearGrid(segmentCount, traits.limits),
  };
  return {
    buffers: {
      keys: { bytes: arrayBytes(keyCount, type.bytes) },
      segments: { bytes: arrayBytes(segmentCount + 1, 4) },
      starts: { bytes: arrayBytes(segmentCount + 1, 4) },
      first_keys: { bytes: arrayBytes(firstCount, type.bytes) },
      ...(isIndex ? { first_values: { bytes: arrayBytes(firstCount, 4) } } : {}),
      findings: { bytes: bufferBytes(8) },
    },
    passes: [pass],
    result: "findings",
  };
}

/**
 * Reads what the plan of `inspectPlan` found.
 *
 * @param words the twelve words of the buffer "totals".
 */
export function readTotals(words: Uint32Array): Totals {
  const [
    sumA = 0,
    sumB = 0,
    inversions = 0,
    first = 0,
    seen = 0,
    onesLow = 0,
    onesHigh = 0,
    zerosLow = 0,
    zerosHigh = 0,
    lowSum = 0,
    highSum = 0,
    distinct = 0,
  ] = words;
  return {
    seen,
    sums: [sumA, sumB],
    inversions,
    firstInversion: first === 0 ? undefined : ~first >>> 0,
    varying: rangeOfBits((onesLow & zerosLow) >>> 0, (onesHigh & zerosHigh) >>> 0),
    wordSums: [lowSum, highSum],
    distinct,
  };
}
