import { afterAll, describe, expect, it } from "vitest";
import { BufferUsage } from "../../../src/core/device/usage.js";
import type { TypeName } from "../../../src/core/elements.js";
import { CpuEngine } from "../../../src/core/engines/cpu.js";
import { DeviceError, VerifyError } from "../../../src/core/errors.js";
import { createSorter } from "../../../src/core/index.js";
import type { SortDescription } from "../../../src/core/sorter/description.js";
import { Sorter } from "../../../src/core/sorter/sorter.js";
import type { SortBuffers } from "../../../src/core/sorter/supplied_buffers.js";
import { nullAdapter } from "../../support/null_backend.js";
import { nullSorter, refusal } from "../../support/refusal.js";

const { device, sorter, buffer } = await nullSorter();
const other = await (await nullAdapter()).requestDevice();

/** Lets a test pass arguments of a wrong type, as a JavaScript caller can. */
const any = (value: unknown) => value as never;

describe("createSorter", () => {
  it("refuses a value that is not a device", async () => {
    expect(await refusal(() => createSorter(any("gpu")))).toMatch(
      /cannot sort on "gpu".*pass a GPUDevice, or "cpu"/,
    );
    expect(await refusal(() => createSorter(any(undefined)))).toMatch(/cannot sort on undefined/);
    expect(await refusal(() => createSorter(any({})))).toMatch(/cannot sort on Object/);
  });
});

describe("an unknown option", () => {
  it("of a call or of a description is refused, and the nearest one is named", async () => {
    const keys = new Uint32Array(2);
    const meant = /has no option 'reverse'; did you mean descending\?/;
    expect(await refusal(() => sorter.sort(keys, any({ reverse: true })))).toMatch(meant);
    expect(await refusal(() => sorter.argsort(keys, any({ reverse: true })))).toMatch(meant);
    expect(await refusal(() => sorter.sortPairs(keys, keys, any({ reverse: true })))).toMatch(meant);
    expect(await refusal(() => sorter.sort(keys, any(keys)))).toMatch(/has Uint32Array for its options/);
    const description = { type: "u32", capacity: 4, desending: true };
    const other = /the description of a sort has no option 'desending'; did you mean descending\?/;
    expect(await refusal(() => sorter.requirements(any(description)))).toMatch(other);
    expect(await refusal(() => sorter.prepare(any({ ...description, keys: buffer(16) })))).toMatch(other);
  });

  it.each([device, "cpu"] as const)("of createSorter is refused, on a device as on the CPU", async (on) => {
    expect(await refusal(() => createSorter(on, any({ thread: 2 })))).toMatch(
      /createSorter has no option 'thread'; did you mean threads\?/,
    );
  });

  it("is refused within an option, too", async () => {
    const keys = new Uint32Array(2);
    const bits = any({ begin: 0, end: 8, start: 0 });
    expect(await refusal(() => sorter.sort(keys, { bits }))).toMatch(/bits has no option 'start'/);
    const into = any({ keys: new Uint32Array(2), values: new Uint32Array(2), indices: keys });
    expect(await refusal(() => sorter.sortPairs(keys, keys, { into }))).toMatch(
      /into has no option 'indices'/,
    );
    const range = any({ buffer: buffer(512), ofset: 256 });
    expect(await refusal(() => sorter.prepare({ type: "u32", capacity: 4, keys: range }))).toMatch(
      /the range of keys has no option 'ofset'; did you mean offset\?/,
    );
  });

  it.each(["bytes", "size"])("is not what a range of a buffer may have besides: %s", async (name) => {
    const keys = { buffer: buffer(512), offset: 256, [name]: 16 };
    const sort = await sorter.prepare({ type: "u32", capacity: 4, keys });
    expect(sort.keys.offset).toBe(256);
    sort.destroy();
  });
});

describe("a switch that is a word", () => {
  const keys = new Uint32Array(2);
  const word = (name: string) => new RegExp(`^${name} is "no"; pass true or false$`);

  it.each(["descending", "sorted", "verify"])("is refused in a call: %s", async (name) => {
    const call = any({ top: 1, [name]: "no" });
    expect(await refusal(() => sorter.sort(keys, call))).toMatch(word(name));
    expect(await refusal(() => sorter.argsort(keys, call))).toMatch(word(name));
  });

  it("is refused in a call of unique, and in a description", async () => {
    expect(await refusal(() => sorter.unique(keys, any({ counts: "no" })))).toMatch(word("counts"));
    expect(await refusal(() => sorter.unique(keys, any({ descending: "no" })))).toMatch(word("descending"));
    const description = any({ type: "u32", capacity: 4, top: 1, sorted: "no" });
    expect(await refusal(() => sorter.requirements(description))).toMatch(word("sorted"));
  });
});

describe("a one-shot sort", () => {
  it.each([
    ["Uint8ClampedArray", new Uint8ClampedArray(2)],
    ["DataView", new DataView(new ArrayBuffer(4))],
    ["Array", [2, 1]],
    ['"21"', "21"],
    ["undefined", undefined],
    ["ArrayBuffer", new ArrayBuffer(4)],
  ])("refuses %s", async (name, keys) => {
    const expected = new RegExp(`cannot sort ${name}.*Uint8Array.*Float64Array`);
    expect(await refusal(() => sorter.sort(any(keys)))).toMatch(expected);
    expect(await refusal(() => sorter.argsort(any(keys)))).toMatch(expected);
    expect(await refusal(() => sorter.sortPairs(any(keys), new Uint32Array(2)))).toMatch(expected);
  });

  it.each([
    { begin: -1, end: 4 },
    { begin: 5, end: 4 },
    { begin: 0, end: 17 },
    { begin: 0.5, end: 4 },
    { begin: 0, end: Number.NaN },
  ])("refuses bits $begin to $end of 16", async (bits) => {
    expect(await refusal(() => sorter.sort(new Uint16Array(2), { bits }))).toMatch(/bits.*u16.*<= 16/);
  });

  it("refuses values that do not match the keys", async () => {
    const keys = new Uint32Array(3);
    for (const values of [
      new Uint32Array(2),
      new Uint32Array(4),
      new Uint8Array(3),
      new Uint16Array(3),
      new Uint32Array(),
    ]) {
      expect(await refusal(() => sorter.sortPairs(keys, values))).toMatch(/do not match 3 keys/);
    }
    expect(await refusal(() => sorter.sortPairs(new Uint32Array(), new Uint32Array(1)))).toMatch(
      /do not match 0 keys/,
    );
    // Half an element for each key: the first three keys would have one and a half.
    const halves = () => sorter.sortPairs(new Uint32Array(4), new BigUint64Array(2), { top: 3 });
    expect(await refusal(halves)).toMatch(/2 values of 8 bytes do not match 4 keys/);
    expect(await refusal(() => sorter.sortPairs(keys, any([1, 2, 3])))).toMatch(/values is Array/);
  });

  it("refuses result arrays of another class or length, and ones that overlap", async () => {
    const keys = new Uint32Array(3);
    const values = new Uint32Array(3);
    const call = (into: unknown) => () => sorter.sort(keys, any({ into }));
    expect(await refusal(call(new Uint32Array(4)))).toMatch(/4 elements; pass a Uint32Array of 3/);
    expect(await refusal(call(new Int32Array(3)))).toMatch(/Int32Array/);
    expect(await refusal(call(null))).toMatch(/into is null/);
    for (const none of [null, 0, false, "", Number.NaN]) {
      const into = any(none);
      expect(await refusal(() => sorter.argsort(keys, { into }))).toMatch(/into is .*Uint32Array of 3/);
      expect(await refusal(() => sorter.sortPairs(keys, values, { into }))).toMatch(/into has .*an object/);
    }
    expect(await refusal(() => sorter.sortPairs(keys, values, any(null)))).toMatch(/null for its options/);
    expect(await refusal(() => sorter.argsort(keys, { into: any(new Int32Array(3)) }))).toMatch(
      /Uint32Array of 3/,
    );
    const both = new Uint32Array(5);
    const into = { keys: both.subarray(0, 3), values: both.subarray(2) };
    expect(await refusal(() => sorter.sortPairs(keys, values, { into }))).toMatch(/overlap/);
    const swapped = { keys: values, values: keys };
    expect(await refusal(() => sorter.sortPairs(keys, values, { into: swapped }))).toMatch(/overlap/);
  });
});

/** An array whose memory another thread has taken. */
function transferred<T extends Uint32Array | Float64Array>(array: T): T {
  structuredClone(array.buffer, { transfer: [array.buffer as ArrayBuffer] });
  return array;
}

/** An array that lies outside of its buffer, which has shrunk. */
function shrunk(length: number): Uint32Array {
  const buffer = new (ArrayBuffer as unknown as Resizable)(4 * length, { maxByteLength: 4 * length });
  const array = new Uint32Array(buffer, 4, length - 1);
  buffer.resize(4);
  return array;
}

type Resizable = new (
  bytes: number,
  options: { maxByteLength: number },
) => ArrayBuffer & { resize(bytes: number): void };

describe("a wrong argument of any type", () => {
  const three = () => new Uint32Array([3, 1, 2]);
  const u32 = { type: "u32", capacity: 4 } as const;
  const lost = /has lost its memory.*transferred or resized.*pass copies/;
  const noOptions = (value: string) => new RegExp(`has ${value} for its options; pass an object`);

  it.each<[string, () => unknown, RegExp]>([
    ["keys that were transferred", () => sorter.sort(transferred(three())), lost],
    ["keys of an argsort that were", () => sorter.argsort(transferred(three())), lost],
    ["keys outside of their buffer", () => sorter.sort(shrunk(4)), lost],
    ["values that were transferred", () => sorter.sortPairs(three(), transferred(three())), lost],
    ["values outside of their buffer", () => sorter.sortPairs(three(), shrunk(4)), lost],
    ["a result that was transferred", () => sorter.sort(three(), { into: transferred(three()) }), lost],
    [
      "offsets that were transferred",
      () => sorter.sort(three(), { segments: transferred(Uint32Array.of(0, 1, 3)) }),
      /segments has lost its memory/,
    ],
    ["null for options", () => sorter.sort(three(), any(null)), noOptions("null")],
    ["a number for options", () => sorter.sort(three(), any(5)), noOptions("5")],
    ["null for bits", () => sorter.sort(three(), { bits: any(null) }), /bits is null; pass \{ begin, end/],
    ["a string for bits", () => sorter.requirements({ ...u32, bits: any("all") }), /bits is "all"; pass/],
    ["an object for a signal", () => sorter.sort(three(), { signal: any({}) }), /signal is Object.*AbortC/],
    [
      "a number for results",
      () => sorter.sortPairs(three(), three(), any({ into: 5 })),
      /into has 5 for its options/,
    ],
    ["no description", () => sorter.prepare(any(undefined)), noOptions("undefined")],
    ["null for a description", () => sorter.requirements(any(null)), noOptions("null")],
    ["no type", () => sorter.requirements(any({ capacity: 4 })), /element type is undefined; use one of u8/],
    ["a number for a type", () => sorter.requirements({ ...u32, type: any(5) }), /element type is 5; use/],
    ["a string for a capacity", () => sorter.requirements({ ...u32, capacity: any("4") }), /capacity is "4"/],
    [
      "a string for a payload",
      () => sorter.requirements({ ...u32, payload: any("4") }),
      /payload of "4" byte/,
    ],
    ["null for a payload", () => sorter.requirements({ ...u32, payload: any(null) }), /payload of null/],
    [
      "null for a count",
      () => sorter.requirements({ ...u32, count: any(null) }),
      /count is null; pass a num/,
    ],
    ["a wrong word for a count", () => sorter.requirements({ ...u32, count: any("cpu") }), /count is "cpu"/],
    [
      "null for scratch",
      () => sorter.prepare({ ...u32, keys: buffer(16), scratch: any(null) }),
      /scratch is null.*createScratch/,
    ],
    [
      "a string for an offset",
      () => sorter.prepare({ ...u32, keys: { buffer: buffer(512), offset: any("256") } }),
      /offset of keys is "256"; pass a number/,
    ],
    ["nothing to compile", () => sorter.warm(any(undefined)), noOptions("undefined")],
    ["numbers to compile", () => sorter.warm(any([5])), noOptions("5")],
    ["nothing to share", () => sorter.createScratch(any(null)), noOptions("null")],
  ])("refuses %s", async (_, call, expected) => {
    expect(await refusal(call)).toMatch(expected);
  });

  it("may be a range that begins at the first byte, without an offset", async () => {
    const sort = await sorter.prepare({ ...u32, keys: any({ buffer: buffer(16) }) });
    expect(sort.keys.offset).toBe(0);
    expect(await sorter.createScratch({ ...u32, payload: "index" })).not.toEqual({});
  });
});

describe("arrays that lose their memory during a sort", () => {
  it.each([3, 5000])("of %i keys give an error, and no other one", async (size) => {
    const sorting = sorter.sort(new Uint32Array(5000), { verify: false });
    const keys = new Uint32Array(size);
    const into = new Uint32Array(size);
    const call = sorter.sort(keys, { into, verify: false });
    transferred(into);
    if (size > 1024) expect(await refusal(() => call)).toMatch(/into has lost its memory/);
    else await expect(call).rejects.toThrow(); // this device computes nothing, which is seen first
    await sorting;
    const other = sorter.argsort(keys, { verify: false });
    transferred(keys);
    if (size > 1024) expect(await refusal(() => other)).toMatch(/keys has lost its/);
    else await expect(other).rejects.toThrow(VerifyError);
  });
});

describe("arrays that lose their memory during a sort on the CPU", async () => {
  const cpu = await createSorter("cpu", { threads: 1 });
  afterAll(() => cpu.destroy());
  const count = 200_000;
  const segments = Uint32Array.of(0, 70_000, count);
  const filled = (buffer: ArrayBuffer) => new Uint32Array(buffer).fill(7);
  const array = () => filled(new ArrayBuffer(4 * count));
  const resizable = () =>
    filled(new (ArrayBuffer as unknown as Resizable)(4 * count, { maxByteLength: 4 * count }));
  const shrink = (keys: Uint32Array) => (keys.buffer as unknown as { resize(bytes: number): void }).resize(4);

  type Sort = (keys: Uint32Array, values: Uint32Array) => Promise<unknown>;
  const sorts: Record<string, Sort> = {
    "sort of segments": (keys) => cpu.sort(keys, { segments }),
    "first keys of segments": (keys) => cpu.sort(keys, { segments, top: 5 }),
    "first keys": (keys) => cpu.sort(keys, { top: 5 }),
    "first keys by bits": (keys) => cpu.sort(keys, { segments, top: 5, bits: { begin: 0, end: 8 } }),
    "first pairs": (keys, values) => cpu.sortPairs(keys, values, { top: 5 }),
    "pairs of segments": (keys, values) => cpu.sortPairs(keys, values, { segments }),
    "first indices": (keys) => cpu.argsort(keys, { top: 5 }),
    lexsort: (keys, values) => cpu.lexsort([values, keys]),
  };
  it.each(Object.entries(sorts))("give an error that says so: %s", async (_, sort) => {
    for (const [make, take] of [
      [array, transferred],
      [resizable, shrink],
    ] as const) {
      const keys = make();
      const running = sort(keys, array());
      take(keys);
      expect(await refusal(() => running)).toMatch(/has lost its memory|arrays of the same length/);
    }
    expect(await cpu.argsort(new Uint32Array(3))).toEqual(Uint32Array.of(0, 1, 2));
  });
});

describe("a prepared sort", () => {
  it("is the one that its description said at the call", async () => {
    const given: SortDescription & SortBuffers = { type: "u32", capacity: 100, keys: buffer(400) };
    const preparing = sorter.prepare(given);
    Object.assign(given, { keys: buffer(4) });
    (await preparing).destroy();
  });
});

describe("a device that is gone", () => {
  it("fails every call with a DeviceError that says what to do", async () => {
    const gone = await (await nullAdapter()).requestDevice();
    const own = await createSorter(gone);
    const keys = buffer(16_000, BufferUsage.storage, gone);
    gone.destroy();
    await gone.lost;
    const description = { type: "i64", capacity: 2000 } as const;
    for (const call of [
      () => own.sort(new Uint32Array(3)),
      () => own.sort(new Uint32Array(5000)),
      () => own.argsort(new Uint16Array(5000), { verify: false }),
      () => own.sortPairs(new Uint32Array(3), new Uint32Array(3)),
      () => own.prepare({ ...description, keys }),
      () => own.warm(description),
      () => own.createScratch({ ...description, payload: "index" }),
    ]) {
      const error = await call().then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      expect(error).toBeInstanceOf(DeviceError);
      expect((error as DeviceError).message).toMatch(/the device was lost/);
      expect((error as DeviceError).hint).toBe("create another device, and a sorter on it");
    }
    own.destroy();
  });
});

describe("a sort of GPU buffers", () => {
  const prepare =
    (some: Partial<SortDescription & SortBuffers>): (() => Promise<unknown>) =>
    () =>
      sorter.prepare({ type: "u32", capacity: 100, keys: buffer(400), ...some });

  it.each<[string, Partial<SortDescription & SortBuffers>, RegExp]>([
    ["an unknown type", { type: "u128" as TypeName }, /unknown element type 'u128'/],
    ["a negative capacity", { capacity: -1 }, /capacity is -1.*whole number/],
    ["a capacity that is not a whole number", { capacity: 1.5 }, /capacity is 1.5/],
    ["more than 2^31 keys", { capacity: 2 ** 31 + 1 }, /capacity is 2147483649.*2147483648/],
    [
      "more keys than fit in the device's buffers",
      { capacity: 2 ** 30 },
      /more than this device.*at most \d+ keys at a time/,
    ],
    [
      "a payload that is too long to be bound",
      { capacity: 10, payload: 2 ** 29 },
      /cannot sort 10 u32 keys|more than this device/,
    ],
    ["a count over the capacity", { count: 101 }, /count is 101.*0 to 100/],
    ["a count that is not a whole number", { count: Number.NaN }, /count is NaN/],
    ["a count on the device without its buffer", { count: "gpu" }, /names no buffer/],
    ["bits that the keys do not have", { bits: { begin: 0, end: 33 } }, /bits 0 to 33.*<= 32/],
    ["a payload that is not a multiple of 4 bytes", { payload: 6 }, /payload of 6 bytes.*multiple of 4/],
    ["a payload without values", { payload: 4 }, /payload of 4 bytes needs values/],
    ["values without a payload", { values: buffer(400) }, /no payload/],
    [
      "a buffer that is too small for the indices",
      { payload: "index", values: buffer(396) },
      /values has 396 bytes from byte 0 on but needs 400/,
    ],
    [
      "a buffer for indices without usage STORAGE",
      { payload: "index", values: buffer(400, BufferUsage.copyDestination) },
      /values lacks the usage STORAGE/,
    ],
    [
      "an array for indices",
      { payload: "index", values: any(new Uint32Array(100)) },
      /values is Uint32Array/,
    ],
    ["an unknown value of input", { input: any("maybe") }, /input is "maybe"/],
    ["an unknown value of output", { output: any("keys") }, /output is "keys".*"all" or "values"/],
    ["values as the only output without a payload", { output: "values" }, /no values move.*set payload/],
    ["a top that is no number of keys", { top: 1.5 }, /top is 1.5.*whole number of keys/],
    ["a bigint for top", { top: any(2n) }, /top is 2n/],
    ["any order of all keys", { sorted: false }, /sorted is false.*pass top/],
    [
      "a longest segment of no number of keys",
      { segments: { capacity: 3, longest: -1 } },
      /segments.longest is -1.*whole number from 0/,
    ],
    [
      "a longest segment in quotes",
      { segments: { capacity: 3, longest: any("9") } },
      /segments.longest is "9"/,
    ],
    [
      "an unknown option of segments",
      { segments: any({ capacity: 3, longets: 9 }) },
      /segments has no option 'longets'.*longest/,
    ],
    ["an unknown value of unique", { unique: any("all") }, /unique is "all".*"counts"/],
    ["null for unique", { unique: any(null) }, /unique is null/],
    ["a symbol for top", { top: any(Symbol("k")) }, /top is Symbol\(k\)/],
    ["a symbol for bits", { bits: { begin: any(Symbol("b")), end: 8 } }, /bits Symbol\(b\) to 8/],
    [
      "an offset that is a bigint",
      { count: any({ buffer: buffer(16), offset: 4n }) },
      /the offset of count is 4/,
    ],
    ["unique with a payload", { unique: true, payload: "index" }, /unique is not for a sort with payload/],
    ["unique with bits", { unique: "counts", bits: { begin: 0, end: 8 } }, /not for a sort with bits/],
    ["unique with top", { unique: true, top: 3 }, /not for a sort with top/],
    ["a missing buffer", { keys: any(undefined) }, /keys is undefined, not a GPUBuffer/],
    [
      "an array instead of a buffer",
      { keys: any(new Uint32Array(100)) },
      /keys is Uint32Array, not a GPUBuffer/,
    ],
    ["a range of an array", { keys: any({ buffer: [], offset: 0 }) }, /keys is Array/],
    ["a buffer that is too small", { keys: buffer(396) }, /keys has 396 bytes from byte 0 on but needs 400/],
    [
      "a range that is too small",
      { keys: { buffer: buffer(512), offset: 256 } },
      /keys has 256 bytes from byte 256/,
    ],
    [
      "an offset past the end of the buffer",
      { keys: { buffer: buffer(512), offset: 1024 } },
      /keys has 0 bytes/,
    ],
    [
      "an offset that is not aligned",
      { keys: { buffer: buffer(512), offset: 4 } },
      /byte 4.*multiple of 256/,
    ],
    ["a negative offset", { keys: { buffer: buffer(512), offset: -256 } }, /byte -256/],
    [
      "a buffer without usage STORAGE",
      { keys: buffer(400, BufferUsage.copySource) },
      /keys lacks the usage STORAGE.*GPUBufferUsage\.STORAGE/,
    ],
    [
      "a buffer of another device",
      { keys: buffer(400, BufferUsage.storage, other) },
      /buffer of keys.*another device/,
    ],
    ["a count buffer of another device", { count: buffer(4, BufferUsage.storage, other) }, /buffer of count/],
    [
      "a count that is no word",
      { count: { buffer: buffer(8), offset: 2 } },
      /count at byte 2.*multiple of 4/,
    ],
    ["a count past the end of its buffer", { count: { buffer: buffer(8), offset: 8 } }, /count has 0 bytes/],
  ])("refuses %s", async (_, some, expected) => {
    expect(await refusal(prepare(some))).toMatch(expected);
  });

  it("refuses ranges of one buffer that overlap", async () => {
    const keys = buffer(1024);
    expect(await refusal(prepare({ keys, values: keys, payload: 4 }))).toMatch(/keys and values overlap/);
    const near = { buffer: keys, offset: 256 };
    expect(await refusal(prepare({ keys, values: near, payload: 4 }))).toMatch(/overlap/);
    expect(await refusal(prepare({ keys, count: keys }))).toMatch(/keys and count overlap/);
    const apart = { buffer: keys, offset: 512 };
    await expect(prepare({ keys, values: apart, payload: 4 })()).resolves.toBeDefined();
    // The indices are written while the keys are read.
    expect(await refusal(prepare({ keys, values: apart, payload: "index" }))).toMatch(
      /keys and values are in one buffer.*separate GPUBuffer for each/,
    );
  });

  it("refuses scratch that does not meet the requirements", async () => {
    const description: SortDescription = { type: "u32", capacity: 5000, count: "gpu" };
    const { scratch: needs, scratchBytes } = sorter.requirements(description);
    const names = Object.keys(needs);
    const given = () =>
      Object.fromEntries(names.map((name) => [name, buffer(needs[name]!.bytes, needs[name]!.usage)]));
    const keys = buffer(20_000);
    const count = buffer(4);
    const use = (scratch: Record<string, GPUBuffer>) => prepare({ ...description, keys, count, scratch });
    expect(scratchBytes).toBeGreaterThan(20_000);
    await expect(use(given())()).resolves.toBeDefined();
    for (const name of names) {
      const { [name]: _, ...others } = given();
      expect(await refusal(use(others))).toContain(`scratch lacks ${name}`);
      const small = buffer(needs[name]!.bytes - 4, needs[name]!.usage);
      expect(await refusal(use({ ...others, [name]: small }))).toContain(`${name} has`);
      expect(await refusal(use({ ...others, [name]: keys }))).toMatch(
        /in one buffer|lacks the usage|has \d+ bytes/,
      );
    }
    expect(await refusal(use({ ...given(), scratch: keys }))).toMatch(/keys and scratch are in one buffer/);
    const params = buffer(needs.params!.bytes, BufferUsage.storage);
    expect(await refusal(use({ ...given(), params }))).toMatch(/params lacks the usage UNIFORM/);
  });

  it("encodes only into encoders, and not after it was destroyed", async () => {
    const sort = await sorter.prepare({ type: "u32", capacity: 5000, keys: buffer(20_000) });
    expect(await refusal(() => sort.encode(any(undefined)))).toMatch(/cannot encode a sort into undefined/);
    expect(await refusal(() => sort.encode(any(5)))).toMatch(/cannot encode a sort into 5/);
    expect(await refusal(() => sort.encode(any(device)))).toMatch(/cannot encode a sort into/);
    const encoder = device.createCommandEncoder();
    sort.encode(encoder);
    encoder.finish();
    sort.destroy();
    sort.destroy();
    expect(await refusal(() => sort.encode(device.createCommandEncoder()))).toMatch(/was destroyed/);
  });

  it("is refused by a sorter that was destroyed or that runs on the CPU", async () => {
    const done = await createSorter(device);
    done.destroy();
    const sort = { type: "u32", capacity: 4, keys: buffer(16) } as const;
    expect(await refusal(() => done.prepare(sort))).toMatch(/the sorter was destroyed/);
    expect(await refusal(() => done.requirements(sort))).toMatch(/the sorter was destroyed/);
    expect(await refusal(() => done.sort(new Uint8Array(2)))).toMatch(/the sorter was destroyed/);
    const cpu = new Sorter({ engine: new CpuEngine() });
    expect(await refusal(() => cpu.prepare(sort))).toMatch(/runs on the CPU, which has no GPU buffers/);
  });
});

describe("a sorter on the CPU", () => {
  const cpu = new Sorter({ engine: new CpuEngine() });

  it("sorts arrays and pairs, and computes indices", async () => {
    const keys = new Float32Array([2, Number.NaN, -0, 0, 2]);
    expect(cpu.device).toBeUndefined();
    expect(await cpu.sort(keys)).toEqual(new Float32Array([-0, 0, 2, 2, Number.NaN]));
    expect(await cpu.argsort(keys, { descending: true })).toEqual(new Uint32Array([1, 0, 4, 3, 2]));
    const sorted = await cpu.sortPairs(keys, new Uint32Array([0, 1, 2, 3, 4]), { into: undefined });
    expect(sorted.values).toEqual(new Uint32Array([2, 3, 0, 4, 1]));
  });
});

describe("the requirements of a sort", () => {
  it("are known before there are any buffers", () => {
    const needs = sorter.requirements({
      type: "f64",
      capacity: 1000,
      payload: 12,
      input: "keep",
      count: "gpu",
    });
    expect(needs.keys).toEqual({ bytes: 8000, usage: BufferUsage.storage });
    expect(needs.values).toEqual({ bytes: 12_000, usage: BufferUsage.storage });
    expect(needs.count).toEqual({ bytes: 4, usage: BufferUsage.storage });
    expect(Object.keys(needs.scratch)).toEqual(expect.arrayContaining(Object.values(needs.result)));
    expect(needs.scratch.params?.usage).toBe(BufferUsage.storage | BufferUsage.uniform);
    const bytes = Object.values(needs.scratch).reduce((total, one) => total + one.bytes, 0);
    expect(needs.scratchBytes).toBe(bytes);
  });

  it("of indices are a buffer for these, which is no scratch", () => {
    for (const type of ["u8", "u32", "f64"] as const) {
      const needs = sorter.requirements({ type, capacity: 1001, payload: "index" });
      expect(needs.values).toEqual({ bytes: 4004, usage: BufferUsage.storage });
      expect(needs.result.values).toBe("values");
      expect(needs.scratch).not.toHaveProperty("values");
    }
  });

  it.each([
    ["segments", { segments: { capacity: 3 } }],
    ["top", { top: 10 }],
    ["unique", { unique: true }],
  ] as const)("with %s are known once what plans them is loaded", async (field, wanted) => {
    const own = await createSorter(device);
    const description = { type: "u32", capacity: 2 ** 22, ...wanted } as const;
    expect(await refusal(() => own.requirements(description))).toMatch(
      new RegExp(`a sort with ${field} is not loaded yet; call await sorter.warm\\(description\\)`),
    );
    const plain = own.requirements({ type: "u32", capacity: 2 ** 22 });
    await own.createScratch(description);
    expect(own.requirements(description).dispatches).not.toBe(plain.dispatches);
    own.destroy();
  });

  it("with top and segments are known once what plans both is loaded", async () => {
    const own = await createSorter(device);
    const description = { type: "u32", capacity: 1000, segments: { capacity: 3 }, top: 10 } as const;
    await own.warm({ ...description, top: undefined });
    expect(await refusal(() => own.requirements(description))).toMatch(/a sort with top and segments is not/);
    await own.warm(description);
    const { keys, values, result } = own.requirements({ ...description, payload: "index" });
    expect([keys.bytes, values?.bytes, Object.keys(result)]).toEqual([
      4000,
      120,
      ["keys", "values", "starts"],
    ]);
    own.destroy();
  });

  it("are less without sorted keys: those of the last pass, or the pass that packs short ones", () => {
    const keyCount = 2 ** 20;
    const both = (type: TypeName) =>
      (["all", "values"] as const).map((output) =>
        sorter.requirements({ type, capacity: keyCount, payload: 4, output }),
      );
    for (const [type, bytes] of [
      ["u32", 4],
      ["f64", 8],
      ["u16", 4 + 4 + 2], // written as words, read as words, written as keys
    ] as const) {
      const [all, values] = both(type);
      expect((all!.bytesMoved - values!.bytesMoved) / keyCount, type).toBe(bytes);
      expect(values!.result).toEqual({ values: "values" });
    }
    const [all, values] = both("u16");
    expect(all!.dispatches - values!.dispatches).toBe(1);
  });

  it("are 12 dispatches and 48 to 72 bytes per u32 key, and half the dispatches for half the bits", () => {
    const keyCount = 2 ** 20;
    const { bytesMoved, dispatches } = sorter.requirements({ type: "u32", capacity: keyCount });
    expect(dispatches).toBe(12);
    expect(bytesMoved / keyCount).toBeGreaterThan(48);
    expect(bytesMoved / keyCount).toBeLessThan(48 * 1.5);
    const half = sorter.requirements({ type: "u32", capacity: keyCount, bits: { begin: 16, end: 32 } });
    expect(half.dispatches).toBe(6);
  });
});
