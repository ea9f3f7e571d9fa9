import { afterAll, describe, expect, it } from "vitest";
import { create } from "webgpu";
import { createSorter } from "../../src/core.js";
import { BufferUsage } from "../../src/device/usage.js";
import type { TypeName } from "../../src/elements.js";
import { CpuEngine } from "../../src/engines/cpu.js";
import { InputError } from "../../src/errors.js";
import type { SortDescription } from "../../src/sorter/description.js";
import { type SortBuffers, Sorter } from "../../src/sorter/sorter.js";

// Dawn's null backend takes and validates all calls without any driver; what it would compute is not asked.
const dawn = create(["backend=null"]);
const adapter = (await dawn.requestAdapter())!;
const device = await adapter.requestDevice();
const other = await (await dawn.requestAdapter())!.requestDevice();
const sorter = await createSorter(device);
const uncaptured: string[] = [];
device.onuncapturederror = ({ error }) => {
  uncaptured.push(error.message);
};
afterAll(() => {
  sorter.destroy();
  expect(dawn).toBeDefined(); // and so kept from being collected while its devices live
  expect(uncaptured).toEqual([]); // what is refused is refused without the device's owner hearing of it
});

function buffer(size: number, usage: number = BufferUsage.storage, on = device): GPUBuffer {
  return on.createBuffer({ size, usage });
}

/** The error of a call that must end in an InputError with a hint: its message and hint in one. */
async function refusal(call: () => unknown): Promise<string> {
  const error = await Promise.resolve()
    .then(call)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(InputError);
  const { message, hint } = error as InputError;
  expect(hint).toBeDefined();
  return `${message}; ${hint}`;
}

/** Arguments that the compiler would refuse, as JavaScript passes them. */
const any = (value: unknown) => value as never;

describe("createSorter", () => {
  it("refuses what is no device", async () => {
    expect(await refusal(() => createSorter(any("gpu")))).toMatch(/cannot sort on "gpu".*pass a GPUDevice/);
    expect(await refusal(() => createSorter(any(undefined)))).toMatch(/cannot sort on undefined/);
    expect(await refusal(() => createSorter(any({})))).toMatch(/cannot sort on Object/);
  });
});

describe("a one-shot sort", () => {
  it.each([
    ["Uint8ClampedArray", new Uint8ClampedArray(2)],
    ["DataView", new DataView(new ArrayBuffer(4))],
    ["Array", [2, 1]],
    ["String", "21"],
    ["undefined", undefined],
    ["ArrayBuffer", new ArrayBuffer(4)],
    [
      "Float16Array",
      Object.defineProperty(new Uint16Array(2), Symbol.toStringTag, { value: "Float16Array" }),
    ],
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

  it("refuses values that do not go with the keys", async () => {
    const keys = new Uint32Array(3);
    for (const values of [
      new Uint32Array(2),
      new Uint32Array(4),
      new Uint8Array(3),
      new Uint16Array(3),
      new Uint32Array(),
    ]) {
      expect(await refusal(() => sorter.sortPairs(keys, values))).toMatch(/do not go with 3 keys/);
    }
    expect(await refusal(() => sorter.sortPairs(new Uint32Array(), new Uint32Array(1)))).toMatch(
      /with 0 keys/,
    );
    expect(await refusal(() => sorter.sortPairs(keys, any([1, 2, 3])))).toMatch(/values is Array/);
  });

  it("refuses to write into arrays of another class or length, or that overlap", async () => {
    const keys = new Uint32Array(3);
    const values = new Uint32Array(3);
    const call = (into: unknown) => () => sorter.sort(keys, any({ into }));
    expect(await refusal(call(new Uint32Array(4)))).toMatch(/4 elements; pass a Uint32Array of 3/);
    expect(await refusal(call(new Int32Array(3)))).toMatch(/Int32Array/);
    expect(await refusal(call(null))).toMatch(/into is null/);
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

describe("a sort of GPU buffers", () => {
  const prepare =
    (some: Partial<SortDescription & SortBuffers>): (() => Promise<unknown>) =>
    () =>
      sorter.prepare({ type: "u32", capacity: 100, keys: buffer(400), ...some });

  it.each<[string, Partial<SortDescription & SortBuffers>, RegExp]>([
    ["a type that there is not", { type: "u128" as TypeName }, /unknown element type 'u128'/],
    ["a negative capacity", { capacity: -1 }, /capacity is -1.*whole number/],
    ["half a key", { capacity: 1.5 }, /capacity is 1.5/],
    ["more keys than places are counted", { capacity: 2 ** 31 + 1 }, /capacity is 2147483649.*2147483648/],
    [
      "more keys than the device has buffers for",
      { capacity: 2 ** 30 },
      /more than this device.*at most \d+ at a time/,
    ],
    [
      "a payload longer than can be bound",
      { capacity: 10, payload: 2 ** 29 },
      /keys cannot be sorted|more than this device/,
    ],
    ["a count past the capacity", { count: 101 }, /count is 101.*0 to 100/],
    ["a count that is no number of keys", { count: Number.NaN }, /count is NaN/],
    ["a count on the device in no buffer", { count: "gpu" }, /in no buffer/],
    ["bits that the keys have not", { bits: { begin: 0, end: 33 } }, /bits 0 to 33.*<= 32/],
    ["a payload of half a word", { payload: 6 }, /payload of 6 bytes.*multiple of 4/],
    ["a payload without values", { payload: 4 }, /payload of 4 bytes is without values/],
    ["values without a payload", { values: buffer(400) }, /no payload/],
    ["values and indices", { payload: "index", values: buffer(400) }, /payload "index"/],
    ["an input neither kept nor destroyed", { input: any("maybe") }, /input is maybe/],
    ["no buffer", { keys: any(undefined) }, /keys is undefined, and no GPUBuffer/],
    ["an array for a buffer", { keys: any(new Uint32Array(100)) }, /keys is Uint32Array, and no GPUBuffer/],
    ["an array for a range's buffer", { keys: any({ buffer: [], offset: 0 }) }, /keys is Array/],
    ["a buffer too small", { keys: buffer(396) }, /keys has 396 bytes from byte 0 on, and needs 400/],
    ["a range too small", { keys: { buffer: buffer(512), offset: 256 } }, /keys has 256 bytes from byte 256/],
    ["an offset past the end", { keys: { buffer: buffer(512), offset: 1024 } }, /keys has 0 bytes/],
    ["an offset not aligned", { keys: { buffer: buffer(512), offset: 4 } }, /byte 4.*multiple of 256/],
    ["a negative offset", { keys: { buffer: buffer(512), offset: -256 } }, /byte -256/],
    [
      "a buffer not for storage",
      { keys: buffer(400, BufferUsage.copySource) },
      /keys lacks the usage STORAGE.*GPUBufferUsage\.STORAGE/,
    ],
    [
      "another device's buffer",
      { keys: buffer(400, BufferUsage.storage, other) },
      /buffer of keys.*another device/,
    ],
    ["another device's count", { count: buffer(4, BufferUsage.storage, other) }, /buffer of count/],
    ["a count not aligned", { count: { buffer: buffer(8), offset: 4 } }, /count begins at byte 4/],
  ])("refuses %s", async (_, some, expected) => {
    expect(await refusal(prepare(some))).toMatch(expected);
  });

  it("refuses one buffer for two things", async () => {
    const keys = buffer(1024);
    expect(await refusal(prepare({ keys, values: keys, payload: 4 }))).toMatch(/keys and values overlap/);
    const near = { buffer: keys, offset: 256 };
    expect(await refusal(prepare({ keys, values: near, payload: 4 }))).toMatch(/overlap/);
    expect(await refusal(prepare({ keys, count: keys }))).toMatch(/keys and count overlap/);
    const apart = { buffer: keys, offset: 512 };
    await expect(prepare({ keys, values: apart, payload: 4 })()).resolves.toBeDefined();
  });

  it("refuses scratch that is not what was required", async () => {
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

  it("encodes into encoders only, and not after it is destroyed", async () => {
    const sort = await sorter.prepare({ type: "u32", capacity: 5000, keys: buffer(20_000) });
    expect(await refusal(() => sort.encode(any(undefined)))).toMatch(/cannot encode a sort into undefined/);
    expect(await refusal(() => sort.encode(any(device)))).toMatch(/cannot encode a sort into/);
    const encoder = device.createCommandEncoder();
    sort.encode(encoder);
    encoder.finish();
    sort.destroy();
    sort.destroy();
    expect(await refusal(() => sort.encode(device.createCommandEncoder()))).toMatch(/was destroyed/);
  });

  it("is refused by a sorter that was destroyed, or that has no device", async () => {
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

  it("does all that is asked of arrays", async () => {
    const keys = new Float32Array([2, Number.NaN, -0, 0, 2]);
    expect(cpu.device).toBeUndefined();
    expect(await cpu.sort(keys)).toEqual(new Float32Array([-0, 0, 2, 2, Number.NaN]));
    expect(await cpu.argsort(keys, { descending: true })).toEqual(new Uint32Array([1, 0, 4, 3, 2]));
    const sorted = await cpu.sortPairs(keys, new Uint32Array([0, 1, 2, 3, 4]), { into: undefined });
    expect(sorted.values).toEqual(new Uint32Array([2, 3, 0, 4, 1]));
  });
});

describe("what a sort requires", () => {
  it("is told for every kind of sort without a buffer", () => {
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

  it("moves each key twice as a digit is counted and scattered, and once to its place", () => {
    const keyCount = 2 ** 20;
    const { bytesMoved, passes } = sorter.requirements({ type: "u32", capacity: keyCount });
    expect(passes).toBe(12);
    expect(bytesMoved / keyCount).toBeGreaterThan(48);
    expect(bytesMoved / keyCount).toBeLessThan(48 * 1.5);
    const half = sorter.requirements({ type: "u32", capacity: keyCount, bits: { begin: 16, end: 32 } });
    expect(half.passes).toBe(6);
  });
});
