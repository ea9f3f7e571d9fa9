import { mix } from "../../../src/core/items/mix.js";
import { readParams } from "../../../src/core/shaders/kernels.js";
import { constant, type Dispatch } from "../../../src/demos/cpu/cpu_kernel.js";
import { type Bits, type KeyOps, keyOps } from "../../../src/demos/cpu/order.js";
import { comparedForm } from "./nans.js";

/** The words of the struct `Selection` in wgsl/select/selection.wgsl. */
const Word = {
  selected: 0,
  counting: 1,
  keyCount: 2,
  topKeys: 3,
  before: 4,
  equal: 5,
  taken: 6,
  known: 7,
  prefix: 9,
  fellBack: 11,
} as const;

/** The CPU version of wgsl/select/select_count.wgsl. */
export function selectCount(dispatch: Dispatch): void {
  const [keys, totals, selection] = dispatch.bindings as [Uint32Array, Uint32Array, Uint32Array];
  const { begin, keyCount, shift, mask } = readParams("select_count", dispatch.params);
  if (selection[Word.counting] === 0) return;
  const { ops, form, place } = keysOf(dispatch, selection);
  const end = Math.min(keyCount, Math.max(0, selection[Word.keyCount]! - begin));
  for (let i = 0; i < end; i++) {
    const key = ops.read(keys, i);
    if (place(key) === "equal") totals[ops.digit(form(key), shift, mask)]!++;
  }
}

/** The CPU version of wgsl/select/select_next.wgsl. */
export function selectNext(dispatch: Dispatch): void {
  const [totals, selection] = dispatch.bindings as [Uint32Array, Uint32Array];
  const { keyCount, head, room, digits, shift, countAt } = readParams("select_next", dispatch.params);
  const decide = () => {
    const [before, equal] = [selection[Word.before]!, selection[Word.equal]!];
    const few = before + equal <= room;
    const taken = few ? equal : selection[Word.topKeys]! - before;
    selection[Word.taken] = taken;
    selection[Word.selected] = before + taken;
    selection[Word.counting] = few ? 0 : 1;
  };
  if (digits === 0) {
    const keys = keyTotal(dispatch, keyCount, countAt);
    selection.fill(0);
    selection[Word.keyCount] = keys;
    selection[Word.topKeys] = Math.min(head, keys);
    selection[Word.equal] = keys;
    decide();
  } else if (selection[Word.counting] === 1) {
    let before = selection[Word.before]!;
    let digit = 0;
    while (before + totals[digit]! < selection[Word.topKeys]!) before += totals[digit++]!;
    selection[Word.before] = before;
    selection[Word.equal] = totals[digit]!;
    const word = shift >>> 5;
    selection[Word.known + word] = (selection[Word.known + word]! | ((digits - 1) << (shift & 31))) >>> 0;
    selection[Word.prefix + word] = (selection[Word.prefix + word]! | (digit << (shift & 31))) >>> 0;
    decide();
  }
  totals.fill(0);
}

/** The CPU version of wgsl/select/select_sample.wgsl. */
export function selectSample(dispatch: Dispatch): void {
  const [keys, totals, selection] = dispatch.bindings as [Uint32Array, Uint32Array, Uint32Array];
  const { keyCount, head, bitsBegin, bitsEnd, countAt } = readParams("select_sample", dispatch.params);
  const all = keyTotal(dispatch, keyCount, countAt);
  const k = Math.min(head, all);
  const samples = constant(dispatch, "SAMPLES");
  const part = Math.fround(k / Math.max(1, all));
  const mean = Math.fround(part * samples);
  const rank = Math.ceil(mean + 5 * Math.sqrt(mean * (1 - part)) + 3);
  const ops: KeyOps = keyOps(dispatch.keyBits, dispatch.constants);
  const compared = comparedForm(dispatch.variants.compared, dispatch.constants);
  const fieldOf = field(ops, bitsBegin, bitsEnd);
  const forms = Array.from({ length: samples }, (_, number) => {
    const at = samplePlace(number, samples, all);
    return fieldOf(compared(ops.toOrdered(ops.read(keys, at))));
  }).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  totals.fill(0);
  selection.fill(0);
  selection[Word.keyCount] = all;
  selection[Word.topKeys] = k;
  const mask = fieldMask(bitsBegin, bitsEnd);
  setKnown(selection, mask, rank <= samples ? forms[rank - 1]! : mask);
}

/** The index of a sample: see wgsl/shared/mix32.wgsl. */
export function samplePlace(number: number, parts: number, keyCount: number): number {
  const part = 2 ** 32 / parts;
  const random = number * part + Math.floor(mix(number) / parts);
  return Number((BigInt(random) * BigInt(keyCount)) >> 32n);
}

/** The CPU version of wgsl/select/select_scan.wgsl. */
export function selectScan(dispatch: Dispatch): void {
  const [counts, selection] = dispatch.bindings as [Uint32Array, Uint32Array];
  const { chunks, room, decides, onlyAfterFallback } = readParams("select_scan", dispatch.params);
  if (onlyAfterFallback === 1 && selection[Word.fellBack] === 0) return;
  const [before = 0, equal = 0] = [0, chunks + 1].map((row) => {
    let start = 0;
    for (let chunk = 0; chunk < chunks; chunk++) {
      const count = counts[row + chunk]!;
      counts[row + chunk] = start;
      start += count;
    }
    counts[row + chunks] = start;
    return start;
  });
  if (decides === 0) return;
  decideSampled(selection, before, equal, room);
}

/** The CPU version of wgsl/select/decided_selection.wgsl. */
function decideSampled(selection: Uint32Array, before: number, equal: number, room: number): void {
  const k = selection[Word.topKeys]!;
  const holds = before + equal >= k && before <= room;
  if (!holds) setKnown(selection, 0n, 0n);
  selection[Word.before] = holds ? before : 0;
  selection[Word.equal] = holds ? equal : selection[Word.keyCount]!;
  selection[Word.counting] = holds ? 0 : 1;
  selection[Word.fellBack] = holds ? 0 : 1;
  const few = before + equal <= room;
  const taken = few ? equal : Math.max(k, before) - before;
  selection[Word.taken] = holds ? taken : 0;
  selection[Word.selected] = holds ? before + taken : 0;
}

/** The CPU version of wgsl/select/select_append.wgsl. */
export function selectAppend(dispatch: Dispatch): void {
  const [keys, selection, totals, output] = dispatch.bindings as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const { room } = readParams("select_append", dispatch.params);
  const { ops, place } = keysOf(dispatch, selection);
  for (let i = 0; i < selection[Word.keyCount]!; i++) {
    const key = ops.read(keys, i);
    const found = place(key);
    if (found === "equal") totals[1]!++;
    if (found !== "before") continue;
    const to = totals[0]!++;
    if (to < room) ops.write(output, to, key);
  }
}

/** The CPU version of wgsl/select/select_close.wgsl. */
export function selectClose(dispatch: Dispatch): void {
  const [totals, selection, output] = dispatch.bindings as [Uint32Array, Uint32Array, Uint32Array];
  const { room, filled } = readParams("select_close", dispatch.params);
  decideSampled(selection, totals[0]!, totals[1]!, room);
  const ops: KeyOps = keyOps(dispatch.keyBits, dispatch.constants);
  const bound = joined(selection[Word.prefix]!, selection[Word.prefix + 1]!);
  const before = selection[Word.before]!;
  const write = (at: number, form: bigint) =>
    ops.write(output, at, ops.fromOrdered(dispatch.keyBits === 64 ? form : Number(form)));
  if (filled > 0) {
    let differing = 0n;
    for (let number = 0; number < BOUND_SAMPLES && before > 0; number++) {
      const form = ops.toOrdered(ops.read(output, samplePlace(number, BOUND_SAMPLES, before)));
      differing |= BigInt(form) ^ bound;
    }
    const last = 2n ** BigInt(dispatch.keyBits) - 1n;
    const lacking = lackingBit(bound, differing, last);
    const hasFallenBack = selection[Word.fellBack] === 1;
    for (let i = selection[Word.selected]!; i < filled; i++) {
      write(i, hasFallenBack ? last : keyAfter(bound, lacking, i, last));
    }
  }
  for (let i = before; i < selection[Word.selected]!; i++) write(i, bound);
  totals.fill(0, 0, 2);
}

/** BOUND_SAMPLES of wgsl/select/select_close.wgsl. */
const BOUND_SAMPLES = 32;

/** The bit of wgsl/select/select_close.wgsl that a bound lacks; 0 if there is none. */
function lackingBit(bound: bigint, differing: bigint, last: bigint): bigint {
  const below = differing === 0n ? 0n : 2n ** BigInt(differing.toString(2).length) - 1n;
  const next = (below + 1n) >> 2n;
  if (next !== 0n && (bound & next) === 0n) return next;
  const filled = bound | below;
  return ~filled & (filled + 1n) & last;
}

/** An ordered form after the bound: see wgsl/select/select_close.wgsl. */
function keyAfter(bound: bigint, lacking: bigint, seed: number, last: bigint): bigint {
  if (lacking === 0n) return last;
  const random = joined(mix(seed), mix(~seed >>> 0));
  return ((bound | lacking) & ~(lacking - 1n)) | (random & (lacking - 1n));
}

/** The CPU version of wgsl/select/select_refine.wgsl. */
export function selectRefine(dispatch: Dispatch): void {
  const [keys, candidates, selection, output] = dispatch.bindings as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const { room, bitsBegin, bitsEnd, countsAll, onlyAfterFallback } = readParams(
    "select_refine",
    dispatch.params,
  );
  if (onlyAfterFallback === 1 && selection[Word.fellBack] === 0) return;
  const fromAll = countsAll === 1 && selection[Word.fellBack] === 1;
  const isBounded = selection[Word.fellBack] === 0;
  const count = selection[fromAll ? Word.keyCount : Word.selected]!;
  const k = selection[Word.topKeys]!;
  const ops: KeyOps = keyOps(dispatch.keyBits, dispatch.constants);
  const compared = comparedForm(dispatch.variants.compared, dispatch.constants);
  const fieldOf = field(ops, bitsBegin, bitsEnd);
  const source = Array.from({ length: count }, (_, i) => ops.read(fromAll ? keys : candidates, i));
  const forms = source.map((key) => fieldOf(compared(ops.toOrdered(key))));
  const bound = joined(selection[Word.prefix]!, selection[Word.prefix + 1]!);
  const hasBound = isBounded && joined(selection[Word.known]!, selection[Word.known + 1]!) !== 0n;
  const top = hasBound && bound === 0n ? 0 : hasBound ? bound.toString(2).length : bitsEnd;
  let end = Math.min(bitsEnd, Math.max(bitsBegin, top));
  const first = end;
  let known = 0n;
  let prefix = 0n;
  let [before, equal] = [0, count];
  while (before + equal > room && end > bitsBegin) {
    const word = end > 32 ? Math.max(bitsBegin, 32) : bitsBegin;
    end = Math.max(word, end - 8);
    known = fieldMask(end, first);
    const sorted = forms.map((form) => form & known).sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    prefix = sorted[k - 1]!;
    before = sorted.indexOf(prefix);
    equal = sorted.filter((form) => form === prefix).length;
  }
  const taken = before + equal <= room ? equal : k - before;
  const kind = dispatch.variants.refined_values;
  const valuesAt = kind === undefined ? 0 : constant(dispatch, "VALUES");
  const next = { before: 0, equal: 0 };
  for (const [i, form] of forms.entries()) {
    const masked = form & known;
    if (masked > prefix) continue;
    const rank = masked < prefix ? next.before++ : before + next.equal++;
    if (rank >= before + taken) continue;
    ops.write(output, rank, source[i]!);
    if (kind === undefined) continue;
    const own = fromAll ? dispatch.bindings[valuesAt + 2]?.[i] : dispatch.bindings[valuesAt + 1]![i];
    dispatch.bindings[valuesAt]![rank] = own ?? i;
  }
  const last = ops.fromOrdered(dispatch.keyBits === 64 ? 2n ** 64n - 1n : 2 ** 32 - 1);
  for (let i = before + taken; i < room; i++) ops.write(output, i, last);
  if (known === 0n && !fromAll) return;
  setKnown(selection, known === 0n ? 0n : known | fieldMask(first, bitsEnd), prefix);
  selection[Word.selected] = before + taken;
  selection[Word.before] = before;
  selection[Word.equal] = equal;
  selection[Word.taken] = taken;
}

const joined = (low: number, high: number) => BigInt(low) | (BigInt(high) << 32n);

/** The mask of bits `begin` to `end` - 1. */
const fieldMask = (begin: number, end: number) =>
  end > begin ? (1n << BigInt(end)) - (1n << BigInt(begin)) : 0n;

/** Leaves only bits `begin` to `end` - 1 of a form. */
function field(ops: KeyOps, begin: number, end: number): (form: Bits) => bigint {
  const mask = fieldMask(begin, end);
  return (form) => joined(ops.word(form, 0), ops.word(form, 1)) & mask;
}

function setKnown(selection: Uint32Array, known: bigint, prefix: bigint): void {
  for (const [at, bits] of [
    [Word.known, known],
    [Word.prefix, prefix],
  ] as const) {
    selection[at] = Number(bits & 0xffff_ffffn);
    selection[at + 1] = Number(bits >> 32n);
  }
}

function keyTotal(dispatch: Dispatch, planned: number, countAt: number): number {
  if (dispatch.variants.key_total !== "counted") return planned;
  return Math.min(planned, dispatch.bindings[constant(dispatch, "COUNT")]?.[countAt] ?? 0);
}

/** The CPU version of wgsl/select/select_chunks.wgsl. */
export function selectChunks(dispatch: Dispatch): void {
  const [, selection, counts] = dispatch.bindings as [Uint32Array, Uint32Array, Uint32Array];
  const { firstChunk, chunk, chunks, onlyAfterFallback } = readParams("select_chunks", dispatch.params);
  if (onlyAfterFallback === 1 && selection[Word.fellBack] === 0) return;
  for (const row of [0, chunks + 1]) counts.fill(0, row + firstChunk, row + firstChunk + dispatch.grid[0]);
  forEachSelected(dispatch, (place, i) => {
    const row = place === "before" ? 0 : chunks + 1;
    counts[row + firstChunk + Math.floor(i / chunk)]!++;
  });
}

/** The CPU version of wgsl/select/select_move.wgsl. */
export function selectMove(dispatch: Dispatch): void {
  const [keys, selection, starts, output] = dispatch.bindings as [
    Uint32Array,
    Uint32Array,
    Uint32Array,
    Uint32Array,
  ];
  const { begin, firstChunk, chunk, chunks, onlyAfterFallback } = readParams("select_move", dispatch.params);
  if (onlyAfterFallback === 1 && selection[Word.fellBack] === 0) return;
  const ops = keyOps(dispatch.keyBits, dispatch.constants);
  const values = dispatch.variants.moved_values;
  const valuesAt = values === undefined ? 0 : constant(dispatch, "VALUES");
  const next = starts.slice();
  if (selection[Word.selected] === 0) return;
  forEachSelected(dispatch, (place, i) => {
    const row = place === "before" ? 0 : chunks + 1;
    const rank = next[row + firstChunk + Math.floor(i / chunk)]!++;
    if (place === "equal" && rank >= selection[Word.taken]!) return;
    const to = place === "before" ? rank : selection[Word.before]! + rank;
    ops.write(output, to, ops.read(keys, i));
    if (values === "index") dispatch.bindings[valuesAt]![to] = begin + i;
    if (values === "word") dispatch.bindings[valuesAt]![to] = dispatch.bindings[valuesAt + 1]![i]!;
  });
}

/** Calls back for each key that goes before the k-th key or has its known bits. */
function forEachSelected(dispatch: Dispatch, take: (place: "before" | "equal", i: number) => void): void {
  const [keys, selection] = dispatch.bindings as [Uint32Array, Uint32Array];
  const { begin, keyCount } = readParams("select_chunks", dispatch.params);
  const { ops, place } = keysOf(dispatch, selection);
  const end = Math.min(keyCount, Math.max(0, selection[Word.keyCount]! - begin));
  for (let i = 0; i < end; i++) {
    const found = place(ops.read(keys, i));
    if (found !== "after") take(found, i);
  }
}

/** How the keys of a dispatch are read, and where they are in the order of a selection. */
function keysOf({ keyBits, constants, variants }: Dispatch, selection: Uint32Array) {
  const ops: KeyOps = keyOps(keyBits, constants);
  const compared = comparedForm(variants.compared, constants);
  const form = (key: Bits) => compared(ops.toOrdered(key));
  const known = [selection[Word.known]!, selection[Word.known + 1]!] as const;
  const prefix = ops.of(selection[Word.prefix]!, selection[Word.prefix + 1]!);
  const masked = (bits: Bits) =>
    ops.of((ops.word(bits, 0) & known[0]) >>> 0, (ops.word(bits, 1) & known[1]) >>> 0);
  const place = (key: Bits) => {
    const bits = masked(form(key));
    return bits < prefix ? "before" : bits === prefix ? "equal" : "after";
  };
  return { ops, form, place } as const;
}
