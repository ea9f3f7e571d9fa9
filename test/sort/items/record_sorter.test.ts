import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { elementType, elementTypes, type TypeName } from "../../../src/core/elements.js";
import { VerifyError } from "../../../src/core/errors.js";
import { keyItem, type RecordItem, type RecordKey } from "../../../src/core/items/item.js";
import { memorySource, sequential } from "../../../src/core/streams/item_stream.js";
import { HeadSink, UniqueSink } from "../../../src/core/streams/sinks.js";
import { rowKernels } from "../../../src/rows/row_kernels.js";
import { sortExternally } from "../../../src/sort/items/external_sort.js";
import { IndexSink, withIndices } from "../../../src/sort/items/indexed.js";
import { RecordSorter } from "../../../src/sort/items/record_sorter.js";
import { KernelThreads } from "../../../src/threads/kernel_threads.js";
import { erringRunner, type KernelFault, swapped, type Tampering } from "../../support/erring_runner.js";
import { randomKeys } from "../../support/keys.js";
import { memoryFile } from "../../support/memory_file.js";
import { eager } from "../../support/row_sorts.js";

const options = { descending: false, algorithm: "auto", verify: true };
const [alone, two] = [1, 2].map((count) => new KernelThreads(count, eager)) as [KernelThreads, KernelThreads];
const each = [
  ["one thread", alone],
  ["two threads", two],
] as const;
afterAll(() => {
  for (const [, tools] of each) tools.close();
});

/** Sorts records in memory. */
async function sorted(
  records: Uint8Array<ArrayBuffer>,
  item: RecordItem,
  { tools = two, descending = false }: { tools?: Pick<KernelThreads, "runner">; descending?: boolean } = {},
) {
  const sorter = new RecordSorter(tools, item, { ...options, descending });
  try {
    const output = memoryFile();
    const report = await sorter.sort(records.length / item.bytes, memorySource(records), output);
    return { report, bytes: Buffer.from(output.bytes()) };
  } finally {
    sorter.close();
  }
}

/** Reads a number, without the code under test. */
const numberAt: Record<TypeName, (view: DataView, at: number, little: boolean) => number | bigint> = {
  u8: (view, at) => view.getUint8(at),
  i8: (view, at) => view.getInt8(at),
  u16: (view, at, little) => view.getUint16(at, little),
  i16: (view, at, little) => view.getInt16(at, little),
  f16: (view, at, little) => {
    const bits = view.getUint16(at, little);
    const [exponent, fraction] = [(bits >> 10) & 31, bits & 1023];
    const size = exponent === 0 ? fraction * 2 ** -24 : (1024 + fraction) * 2 ** (exponent - 25);
    const value = exponent < 31 ? size : fraction === 0 ? Number.POSITIVE_INFINITY : Number.NaN;
    return bits & 0x8000 ? -value : value;
  },
  u32: (view, at, little) => view.getUint32(at, little),
  i32: (view, at, little) => view.getInt32(at, little),
  f32: (view, at, little) => view.getFloat32(at, little),
  u64: (view, at, little) => view.getBigUint64(at, little),
  i64: (view, at, little) => view.getBigInt64(at, little),
  f64: (view, at, little) => view.getFloat64(at, little),
};

/** -0 comes before 0, and NaNs, which are equal, after all others. */
function compareNumbers(a: number | bigint, b: number | bigint): number {
  if (a < b) return -1;
  if (a > b) return 1;
  const [x, y] = [Number.isNaN(a), Number.isNaN(b)];
  return x || y ? Number(x) - Number(y) : Number(Object.is(b, -0)) - Number(Object.is(a, -0));
}

function compareKeys(a: Buffer, b: Buffer, keys: readonly RecordKey[]): number {
  for (const key of keys) {
    const { offset } = key;
    if ("type" in key) {
      const valueIn = (record: Buffer) =>
        numberAt[key.type.name](new DataView(record.buffer, record.byteOffset, record.length), offset, true);
      const order = compareNumbers(valueIn(a), valueIn(b));
      if (order !== 0) return order;
    } else {
      const end = offset + key.bytes;
      const order = a.compare(b, offset, end, offset, end);
      if (order !== 0) return order;
    }
  }
  return 0;
}

/** The records in the expected order: by `Buffer.compare`, then by their place in the input. */
function sortedRecords(records: Uint8Array<ArrayBuffer>, item: RecordItem, descending: boolean): Buffer[] {
  const bytes = Buffer.from(records.buffer);
  const each = Array.from({ length: bytes.length / item.bytes }, (_, i) =>
    bytes.subarray(i * item.bytes, (i + 1) * item.bytes),
  );
  const sign = descending ? -1 : 1;
  return each.sort((a, b) => sign * compareKeys(a, b, item.keys) || a.byteOffset - b.byteOffset);
}

interface RecordShape {
  readonly bytes: number;
  readonly keys: readonly RecordKey[];
  readonly count: number;
  /** Bytes at the start of every record that are the same in all records, or in those of one cluster. */
  readonly shared: number;
  readonly clusters: number;
  /** Distinct values of the other bytes. */
  readonly values: number;
  readonly seed: number;
}

/** Makes records. Their last 4 bytes are their index, unless the keys take the whole record. */
function makeRecords({ bytes, keys, count, shared, clusters, values, seed }: RecordShape) {
  const item: RecordItem = { kind: "record", bytes, keys, byteOrder: "little" };
  const records = new Uint8Array(count * bytes);
  let state = seed + 1;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state >>> 10;
  };
  for (let i = 0; i < count; i++) {
    const cluster = random() % clusters;
    for (let j = 0; j < bytes; j++) records[i * bytes + j] = j < shared ? cluster + j : random() % values;
  }
  if (keys.every((key) => key.offset + ("type" in key ? key.type.bytes : key.bytes) <= bytes - 4)) {
    const view = new DataView(records.buffer);
    for (let i = 0; i < count; i++) view.setUint32((i + 1) * bytes - 4, i);
  }
  return { item, records };
}

const shapes = fc.integer({ min: 1, max: 300 }).chain((bytes) => {
  const offset = fc.nat(bytes - 1);
  const part = offset.chain((at) =>
    fc.record({ offset: fc.constant(at), bytes: fc.integer({ min: 1, max: bytes - at }) }),
  );
  const number = fc
    .constantFrom(...elementTypes)
    .filter((type) => type.bytes <= bytes)
    .chain((type) => fc.record({ offset: fc.nat(bytes - type.bytes), type: fc.constant(type) }));
  const whole = fc.constant([{ offset: 0, bytes }]);
  const beforeIndex = fc.constant([{ offset: 0, bytes: Math.max(1, bytes - 4) }]);
  return fc.record({
    bytes: fc.constant(bytes),
    keys: fc.oneof(whole, beforeIndex, fc.array(fc.oneof(part, number), { minLength: 1, maxLength: 4 })),
    count: fc.nat(80),
    shared: fc.constantFrom(0, Math.floor(bytes / 2), Math.max(0, bytes - 6), bytes),
    clusters: fc.constantFrom(1, 2, 5),
    values: fc.constantFrom(1, 2, 256),
    seed: fc.nat(1000),
  });
});

/** Bytes below a number of values. */
const noise = (length: number, values: number, seed: number) =>
  (randomKeys(elementType("u8"), length, seed) as Uint8Array<ArrayBuffer>).map((byte) => byte % values);

const whole = (bytes: number) => [{ offset: 0, bytes }];

/** The sorted records of each shape, which all threads sort. */
const expectedOf = new Map<string, Buffer>();

describe.each(each)("records on %s", (_, tools) => {
  it("of any shape are sorted stably: in core, out of core, with -u and with --head", async () => {
    await fc.assert(
      fc.asyncProperty(shapes, fc.boolean(), fc.nat(20), async (shape, descending, head) => {
        const { item, records } = makeRecords(shape);
        const expected = sortedRecords(records, item, descending);
        const inCore = await sorted(records, item, { tools, descending });
        expect(Buffer.concat(expected).equals(inCore.bytes)).toBe(true);

        const distinct = expected.filter(
          (a, i) => i === 0 || compareKeys(expected[i - 1]!, a, item.keys) !== 0,
        );
        const outOfCore = memoryFile();
        const sorter = new RecordSorter(tools, item, { ...options, descending });
        await sortExternally(
          { itemCount: shape.count, next: sequential(memorySource(records), records.length) },
          new UniqueSink(sorter.order, new HeadSink(head * item.bytes, outOfCore)),
          { sorter, chunkItems: 9, verify: true, createStore: async () => memoryFile() },
        );
        sorter.close();
        expect(Buffer.concat(distinct.slice(0, head)).equals(outOfCore.bytes())).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  const bytes = 40;
  const shape = {
    bytes,
    keys: [{ offset: 0, bytes: 36 }],
    count: 20_000,
    shared: 0,
    clusters: 1,
    values: 256,
    seed: 1,
  };
  it.each<[string, RecordShape, boolean]>([
    ["random keys", shape, false],
    ["one long shared prefix", { ...shape, shared: 34 }, true],
    ["two clusters with prefixes of their own", { ...shape, shared: 30, clusters: 2 }, false],
    ["few values", { ...shape, values: 2, shared: 20 }, true],
    ["equal keys", { ...shape, shared: 36 }, true],
    ["equal keys in two clusters", { ...shape, shared: 36, clusters: 2 }, true],
    [
      "keys of 1,000 bytes, equal but for the last",
      { ...shape, count: 8000, bytes: 1004, keys: whole(1000), shared: 990 },
      false,
    ],
    ["whole records", { ...shape, bytes: 3, keys: whole(3) }, true],
    [
      "a number of few values, then bytes",
      {
        ...shape,
        values: 3,
        keys: [
          { offset: 1, type: elementType("u8") },
          { offset: 4, bytes: 32 },
        ],
      },
      true,
    ],
    [
      "bytes of few values, then a number",
      {
        ...shape,
        values: 2,
        keys: [
          { offset: 4, bytes: 3 },
          { offset: 9, type: elementType("i32") },
        ],
      },
      true,
    ],
  ])("many of them are sorted stably: %s", async (name, many, descending) => {
    const { item, records } = makeRecords(many);
    const expected = expectedOf.get(name) ?? Buffer.concat(sortedRecords(records, item, descending));
    expectedOf.set(name, expected);
    const { bytes, report } = await sorted(records, item, { tools, descending });
    expect(expected.equals(bytes)).toBe(true);
    expect(report).toMatchObject({ device: "CPU", keyCount: records.length / item.bytes, verified: true });
  });
});

it.each(elementTypes.map(({ name }) => name))(
  "%s keys in both byte orders, NaNs among them",
  async (name) => {
    const type = elementType(name);
    const [bytes, count] = [type.bytes + 5, 2000];
    const patterns = [0x00, 0xff, 0x7f, 0x80, 0xf0, 0x3c, 0x7c, 0x01];
    const records = noise(count * bytes, patterns.length, 5).map((which) => patterns[which]!);
    const view = new DataView(records.buffer);
    for (const byteOrder of ["little", "big"] as const) {
      const numbers = Array.from({ length: count }, (_, i) => {
        return numberAt[name](view, i * bytes + 3, byteOrder === "little");
      });
      // Both signs and many payloads, so a sort that told NaNs apart would not keep their order.
      if (type.order === "float") expect(numbers.filter(Number.isNaN).length).toBeGreaterThan(100);
      for (const descending of [false, true]) {
        const order = Array.from({ length: count }, (_, i) => i);
        order.sort((a, b) => (descending ? -1 : 1) * compareNumbers(numbers[a]!, numbers[b]!) || a - b);
        const expected = Buffer.concat(order.map((i) => records.subarray(i * bytes, (i + 1) * bytes)));
        const item: RecordItem = { kind: "record", bytes, keys: [{ offset: 3, type }], byteOrder };
        const { bytes: output } = await sorted(records, item, { descending });
        expect(expected.equals(output), `${byteOrder}, ${descending}`).toBe(true);
      }
    }
  },
);

it.each([
  ["is read", "read"],
  ["is written", "write"],
] as const)("a sort that is aborted while the first window %s ends with the reason", async (_, when) => {
  const item: RecordItem = { kind: "record", bytes: 64, keys: whole(64), byteOrder: "little" };
  const records = noise(2 ** 21, 256, 3); // written in four windows
  const abort = new AbortController();
  const reason = new Error("no longer of use");
  const source = memorySource(records);
  let [writes, isEnded] = [0, false];
  const sink = {
    async write() {
      writes++;
      if (when === "write") abort.abort(reason);
    },
    async end() {
      isEnded = true;
    },
  };
  const read: typeof source.read = async (into, at) => {
    await source.read(into, at);
    if (when === "read") abort.abort(reason);
  };
  const runner = erringRunner(two.runner(rowKernels), { kernel: "make_elements" }); // it counts them
  const sorter = new RecordSorter({ runner: () => runner } as never, item, {
    ...options,
    signal: abort.signal,
  });
  await expect(sorter.sort(records.length / item.bytes, { read }, sink)).rejects.toBe(reason);
  sorter.close();
  const isSorted = when === "write";
  expect([runner.errors(), writes, isEnded]).toEqual([Number(isSorted), Number(isSorted), false]);
});

describe("records are checked: a CPU that errs is noticed", () => {
  const bytes = 12;
  const records = noise(bytes * 20_000, 256, 7);
  const changesByte: Tampering = (memory) => {
    const place = Buffer.from(memory.buffer).indexOf(records.subarray(0, bytes));
    memory[place + bytes - 1]! ^= 1; // of no key
  };
  it.each<[string, KernelFault, string]>([
    ["swaps two of them", { kernel: "move_rows", before: swapped(16, [5, 700]) }, "out of order"],
    ["changes a byte", { kernel: "sort_16", after: changesByte }, "checksums differ"],
  ])("%s", async (_, fault, words) => {
    const item: RecordItem = { kind: "record", bytes, keys: [{ offset: 0, bytes: 4 }], byteOrder: "little" };
    let runner: ReturnType<typeof erringRunner> | undefined;
    const tools = {
      runner: (...wishes: Parameters<KernelThreads["runner"]>) =>
        (runner = erringRunner(two.runner(...wishes), fault)),
    };
    const sorting = sorted(records, item, { tools: tools as never });
    await expect(sorting).rejects.toThrow(VerifyError);
    await expect(sorting).rejects.toThrow(words);
    expect(runner!.errors()).toBe(1);
  });
});

describe("indices", () => {
  it("are the places of the sorted keys in the input, in core and out of core", async () => {
    const type = elementType("i32");
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -9, max: 9 }), { maxLength: 200 }),
        fc.boolean(),
        fc.integer({ min: 1, max: 300 }),
        async (list, descending, chunkItems) => {
          const keys = new Uint8Array(Int32Array.from(list).buffer);
          const input = withIndices({
            name: "keys",
            item: keyItem(type),
            itemCount: list.length,
            source: memorySource(keys),
            next: sequential(memorySource(keys), keys.length),
            style: { format: "raw", byteOrder: "little" },
          });
          const sorter = new RecordSorter(two, input.item as RecordItem, { ...options, descending });
          const expected = list
            .map((_, i) => i)
            .sort((a, b) => (descending ? list[b]! - list[a]! : list[a]! - list[b]!));
          const indices = (file: ReturnType<typeof memoryFile>) => [...new Uint32Array(file.bytes().buffer)];
          const inCore = memoryFile();
          await sorter.sort(list.length, input.source!, new IndexSink(input.item.bytes, inCore));
          expect(indices(inCore)).toEqual(expected);
          const outOfCore = memoryFile();
          await sortExternally(input, new IndexSink(input.item.bytes, outOfCore), {
            sorter,
            chunkItems,
            verify: true,
            createStore: async () => memoryFile(),
          });
          sorter.close();
          expect(indices(outOfCore)).toEqual(expected);
        },
      ),
      { numRuns: 100 },
    );
  });
});
