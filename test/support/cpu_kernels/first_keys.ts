import { readParams } from "../../../src/core/shaders/kernels.js";
import { constant, type Dispatch, workgroupCount } from "../../../src/demos/cpu/cpu_kernel.js";
import { type Bits, type KeyOps, keyOps } from "../../../src/demos/cpu/order.js";
import { comparedForm } from "./nans.js";
import { boundAs } from "./radix.js";

/* The CPU versions of the kernels that select the first keys of segments. */

/** The keys of a segment; see wgsl/shared/first_source.wgsl. */
function segmentsOf(dispatch: Dispatch, keyCount: number, countAt = 0) {
  const { variants } = dispatch;
  return (number: number): readonly [begin: number, end: number] => {
    if (variants.first_source === "planned") return [0, keyCount];
    const words = boundAs(dispatch, "SOURCE");
    if (variants.first_source === "counted") return [0, Math.min(words[countAt]!, keyCount)];
    const begin = Math.min(words[number]!, keyCount);
    return [begin, Math.min(Math.max(words[number + 1]!, begin), keyCount)];
  };
}

/** The CPU version of wgsl/select/select_starts.wgsl. */
export function selectStarts(dispatch: Dispatch): void {
  const [starts] = dispatch.bindings as [Uint32Array];
  const { keyCount, segments, top, capacity } = readParams("select_starts", dispatch.params);
  const segmentOf = segmentsOf(dispatch, keyCount);
  let start = 0;
  for (let segment = 0; segment < segments; segment++) {
    starts[segment] = Math.min(start, capacity);
    const [begin, end] = segmentOf(segment);
    start += Math.min(top, end - begin);
  }
  starts[segments] = Math.min(start, capacity);
}

/** The CPU version of wgsl/select/select_keep.wgsl. */
export function selectKeep(dispatch: Dispatch): void {
  const [sorted, output, starts] = dispatch.bindings as [Uint32Array, Uint32Array, Uint32Array];
  const { keyCount, segments } = readParams("select_keep", dispatch.params);
  const ops: KeyOps = keyOps(dispatch.keyBits, {});
  const segmentOf = segmentsOf(dispatch, keyCount);
  const move = moverOf(dispatch);
  const total = starts[segments]!;
  output.fill(0, 0, Math.ceil((total * dispatch.keyBits) / 32));
  for (let segment = 0; segment < segments; segment++) {
    const [begin] = segmentOf(segment);
    for (let at = starts[segment]!; at < starts[segment + 1]!; at++) {
      const from = begin + at - starts[segment]!;
      ops.write(output, at, ops.read(sorted, from));
      move(from, at);
    }
  }
}

/** Moves what belongs to a key; see wgsl/select/moved_values.wgsl. */
function moverOf(dispatch: Dispatch): (from: number, to: number) => void {
  const kind = dispatch.variants.moved_values;
  if (kind === undefined) return () => {};
  const at = constant(dispatch, "VALUES");
  const output = dispatch.bindings[at]!;
  const values = dispatch.bindings[at + 1];
  return (from, to) => {
    output[to] = kind === "index" ? from : values![from]!;
  };
}

/** The CPU version of wgsl/select/select_segments.wgsl. */
export function selectSegments(dispatch: Dispatch): void {
  const { bindings, variants, constants } = dispatch;
  const [keys, output] = bindings as [Uint32Array, Uint32Array];
  const own = readParams("select_segments", dispatch.params);
  const { segments, top, cut, leastPart, parts, joins } = own;
  const ops: KeyOps = keyOps(dispatch.keyBits, constants);
  const compared = comparedForm(variants.compared, constants);
  const formOf = (key: Bits) => ops.field(compared(ops.toOrdered(key)), own.bitsBegin, own.bitsEnd);
  const segmentOf = segmentsOf(dispatch, own.keyCount, own.countAt);
  const move = moverOf(dispatch);
  const starts = variants.first_output === "starts" ? boundAs(dispatch, "STARTS") : undefined;

  const rangeOf = (segment: number, part: number): readonly [number, number] => {
    const [first, end] = segmentOf(segment);
    const length = end - first;
    const piece = Math.max(leastPart, Math.ceil(length / cut));
    if (joins === 1) {
      const selected = Math.floor(length / piece) * top + Math.min(length % piece, top);
      return [segment * cut * top, selected];
    }
    if (parts === 1) return [first, length];
    const begin = Math.min(part * piece, length);
    return [first + begin, Math.min(piece, length - begin)];
  };

  for (let number = 0; number < Math.min(parts * segments, workgroupCount(dispatch.grid)); number++) {
    const segment = Math.floor(number / parts);
    const [begin, count] = rangeOf(segment, number % parts);
    const place = starts ? starts[segment]! : variants.first_output === "parts" ? number * top : 0;
    const room = starts ? starts[segment + 1]! - place : count;
    const requested = Math.min(top, count, room);
    const isTold = variants.first_output === "selection";
    if (isTold && requested === 0) boundAs(dispatch, "SELECTION").fill(0).set([count], 2);
    if (requested === 0) continue;
    const items = Array.from({ length: count }, (_, i) => {
      const key = ops.read(keys, begin + i);
      return { key, form: formOf(key), from: begin + i };
    });
    items.sort((a, b) => (a.form < b.form ? -1 : a.form > b.form ? 1 : a.from - b.from));
    const first = items.slice(0, requested);
    if (constant(dispatch, "SORTS") === 0) first.sort((a, b) => a.from - b.from);
    first.forEach(({ key, from }, i) => {
      ops.write(output, place + i, key);
      move(from, place + i);
    });
    if (!isTold) continue;
    tellSelected(dispatch, ops, { count, requested, last: compared(ops.toOrdered(first.at(-1)!.key)) });
  }
}

/** Tells which keys are selected; see wgsl/select/first_slots.wgsl. */
function tellSelected(
  dispatch: Dispatch,
  ops: KeyOps,
  { count, requested, last }: { count: number; requested: number; last: Bits },
): void {
  const { bitsBegin, bitsEnd } = readParams("select_segments", dispatch.params);
  const known = [0, 32].map((shift) => {
    const [from, to] = [bitsBegin, bitsEnd].map((bit) => Math.min(32, Math.max(0, bit - shift)));
    return 2 ** to! - 2 ** Math.min(from!, to!);
  });
  const prefix = known.map((mask, word) => (mask & ops.word(last, word as 0 | 1)) >>> 0);
  const counts = [requested, 0, count, requested, 0, 0, requested];
  boundAs(dispatch, "SELECTION").set([...counts, ...known, ...prefix, 0]);
}
