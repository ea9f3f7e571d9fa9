import { afterAll, expect, it, vi } from "vitest";
import { Execution } from "../../src/core/device/execute.js";
import { runOnce } from "../../src/core/device/run.js";
import { readback } from "../../src/core/device/transfer.js";
import { elementType, type KeyArray, type TypeName } from "../../src/core/elements.js";
import type { TopOptions } from "../../src/core/sort/key.js";
import { selectPlan } from "../../src/core/sort/select/select.js";
import { createSorter } from "../../src/index.js";
import { bindable, FEW_BYTES } from "../support/compact_case.js";
import { runOnCpu } from "../support/cpu_kernels/run.js";
import { deviceBuffers } from "../support/device_buffers.js";
import { distributions, expectedIndices, wordsOfKeys } from "../support/keys.js";
import { expectSelected, misleadingKeys } from "../support/select_case.js";
import { expectedRuns, expectTop, expectUnique } from "../support/top_cases.js";
import { describeOnDevice, fewerOnLavapipe, selector } from "./device.js";

// So small that a few thousand keys are selected, as millions are.
vi.mock("../../src/core/sort/select/select_tuning.js", () => ({
  LEAST_KEYS: { hardware: 1000, hardwareSorting: 1000, software: 1000 },
  LEAST_REFINED_KEYS: 1000,
  LEAST_RATIO: 4,
  FIRST_KEYS: { least: 2 ** 31, most: 0 },
  SPARE_KEYS: 100,
  SAMPLES: { hardware: 256, software: 128 },
  REFINED_TILES: [64, 1024],
  MOST_REFINED_BY_ONE: 3500,
}));

describeOnDevice(`the first and the distinct keys on ${selector}`, async ({ gpu }) => {
  const { device } = gpu;
  const sorter = await createSorter(device);
  afterAll(() => sorter.destroy());

  const run = async (...[plan, inputs]: Parameters<Parameters<typeof expectSelected>[0]>) => {
    const execution = await Execution.prepare(gpu, plan);
    try {
      await runOnce(gpu, execution, inputs);
      return await readback(gpu, execution, Object.keys(plan.buffers));
    } finally {
      execution.destroy();
    }
  };
  const { upload, download, submit } = deviceBuffers(device);

  /** The items of some words each, up to a word, as texts. */
  const rows = (words: Uint32Array, end: number, itemWords: number) =>
    Array.from({ length: end / itemWords }, (_, i) =>
      words.subarray(i * itemWords, (i + 1) * itemWords).join(),
    );

  const wide: TypeName[] = ["u32", "f32", "i64", "f64"]; // each width and each order

  it.each(fewerOnLavapipe(wide, ["f32"]))("are selected as by the CPU's kernels: %s", async (name) => {
    const type = elementType(name);
    const some: Partial<TopOptions>[] = [
      {},
      { payload: "index" },
      { payload: 4, unsorted: true },
      { payload: 12, bits: { begin: 5, end: 29 } },
      { counted: true },
    ];
    for (const [turn, more] of fewerOnLavapipe(some, some.slice(1, 3)).entries()) {
      for (const distribution of ["uniform", "few values", "specials", "constant"]) {
        for (const [size, top] of [
          [1, 1],
          [2049, 500],
          [12_001, 3],
        ] as const) {
          const keys = distributions[distribution]!(type, size);
          const options = { ...more, top, descending: (turn + top) % 2 === 1 };
          const traits = size > 10_000 ? bindable(gpu.traits, 6 * FEW_BYTES) : gpu.traits;
          await expectSelected(run, { type, keys, options, traits, count: 1777 });
        }
      }
    }
  });

  // These devices have workgroups that select and sort alone, as a GPU does.
  const asHardware = {
    ...bindable(gpu.traits, gpu.traits.limits.maxStorageBufferBindingSize),
    software: false,
  };

  // SwiftShader takes 20 s to compile a sort of what was selected, so each of the options takes one direction.
  const one: readonly TypeName[] = fewerOnLavapipe(["u64"], ["f32"]);
  it.each(one)("are selected by one workgroup of many: %s", async (name) => {
    const type = elementType(name);
    const some: Partial<TopOptions>[] = [
      {},
      { payload: "index" },
      { payload: 4, unsorted: true },
      { counted: true },
    ];
    for (const [turn, more] of fewerOnLavapipe(some, [some[1]!, some[3]!]).entries()) {
      for (const [d, distribution] of ["uniform", "few values", "specials", "constant"].entries()) {
        for (const [s, [size, top]] of (
          [
            [3001, 500],
            [12_001, 4],
            [12_001, 800],
          ] as const
        ).entries()) {
          // A run takes a second. So each size takes every other distribution, or, where the keys are counted,
          // each number of keys once, with another distribution.
          if (!more.counted && (turn + d + s) % 2 === 1) continue;
          const keys = distributions[distribution]!(type, size);
          const options = { ...more, top, descending: (turn + top) % 2 === 1 };
          const count = more.counted ? [0, 2, 700, 2222][(d + s) % 4]! : size;
          await expectSelected(run, { type, keys, options, traits: asHardware, count });
        }
      }
    }
  });

  it.each(["u32", "i64"])("leave room that keys fill which go after them: %s", async (name) => {
    const type = elementType(name);
    const size = 12_001;
    const keys = distributions.uniform!(type, size);
    // Later bounds have the bit that the first one lacks, in one of the two types.
    for (const [top, descending] of [
      [2000, false],
      [3000, true],
      [2800, false],
    ] as const) {
      const whole = selectPlan(size, type, { top, descending }, asHardware);
      const plan = { ...whole, passes: whole.passes.slice(0, 3) };
      expect(plan.passes.at(-1)!.program.kernel).toBe("select_close");
      const inputs = { keys: wordsOfKeys(keys) };
      const [onDevice, onCpu] = [await run(plan, inputs), runOnCpu(plan, inputs)];
      expect(onDevice.selection).toEqual(onCpu.selection);
      const selected = onCpu.selection![0]! * type.words;
      // Workgroups append what is selected in any order, but all of them give the same bits.
      expect(onDevice.candidates!.subarray(selected)).toEqual(onCpu.candidates!.subarray(selected));
      const sorted = [onDevice, onCpu].map(({ candidates }) =>
        rows(candidates!, selected, type.words).sort(),
      );
      expect(sorted[0]).toEqual(sorted[1]);
    }
  });

  it.each(["before", "after"] as const)("are right if all samples are %s the other keys", async (misled) => {
    const type = elementType("u32");
    for (const traits of [gpu.traits, asHardware]) {
      for (const [size, top] of [
        [3400, 850],
        [12_001, 850],
      ] as const) {
        for (const payload of fewerOnLavapipe([0, "index"] as const, ["index"])) {
          const keys = misleadingKeys(type, size, top, traits, misled);
          await expectSelected(run, { type, keys, options: { top, payload, descending: false }, traits });
        }
      }
    }
  });

  it("are appended if nearly all keys that a workgroup reads are candidates", async () => {
    // Hardware sorts so many by workgroups of 256, which lavapipe compiles for 20 s.
    const both = [
      [asHardware, false],
      [gpu.traits, true],
    ] as const;
    for (const name of fewerOnLavapipe<TypeName>(["u32", "f64"], ["u32"])) {
      const type = elementType(name);
      const keys = distributions.uniform!(type, 12_001).sort();
      for (const [traits, descending] of fewerOnLavapipe(both, both.slice(1))) {
        await expectSelected(run, { type, keys, options: { top: 2900, descending }, traits });
      }
    }
  });

  it("are found in typed arrays", async () => {
    for (const name of fewerOnLavapipe<TypeName>(["u16", "f32", "u64"], ["f32"])) {
      const type = elementType(name);
      for (const distribution of ["uniform", "specials", "few values"]) {
        const descending = distribution !== "specials";
        for (const top of [0, 1, 700, 5000]) {
          await expectTop(sorter, type, distribution, 4001, top, descending);
        }
        for (const size of [1024, 1025, 4001])
          await expectUnique(sorter, type, distribution, size, descending);
      }
    }
  });

  it("are found in any order if that is enough, and checked", async () => {
    for (const name of fewerOnLavapipe<TypeName>(["u32", "u64"], ["u32"])) {
      const type = elementType(name);
      for (const distribution of ["uniform", "few values"]) {
        const keys = distributions[distribution]!(type, 4001);
        for (const top of [1, 10, 700]) {
          const first = await sorter.sort(keys, { top, sorted: false });
          expect(first.toSorted(), `${name} ${distribution} ${top}`).toEqual(
            (keys.toSorted() as KeyArray).slice(0, top),
          );
          const indices = await sorter.argsort(keys, { top, sorted: false });
          const expected = expectedIndices(keys, type, { descending: false }).slice(0, top);
          expect(indices.toSorted(), `${name} ${distribution} ${top}`).toEqual(expected.toSorted());
        }
      }
    }
  });

  it("are at the begin of a prepared sort's regions, also if the device knows their number", async () => {
    const type = elementType("f32");
    const capacity = 5000;
    const keys = distributions.specials!(type, capacity);
    const values = new Uint32Array(capacity).map((_, i) => 3 * i);
    const [buffer, carried, count] = [upload(wordsOfKeys(keys)), upload(values), upload(new Uint32Array(4))];
    const description = { type: "f32", capacity, payload: 4, descending: true, top: 1000 } as const;
    const given = { keys: buffer, values: carried, count };
    using sort = await sorter.prepare({ ...description, ...given });
    using only = await sorter.prepare({ ...description, ...given, output: "values" });
    expect([sort.keys.bytes, sort.values?.bytes]).toEqual([4000, 4000]);
    for (const many of [0, 3, 999, 1001, 5000, 2 ** 32 - 1]) {
      device.queue.writeBuffer(count, 0, new Uint32Array([many]));
      submit((encoder) => {
        sort.encode(encoder);
        only.encode(encoder);
      });
      const order = expectedIndices(keys.slice(0, many), type, { descending: true }).slice(0, 1000);
      const expected = Uint32Array.from(order, (i) => 3 * i);
      for (const { values: region } of [sort, only]) {
        const found = new Uint32Array(await download(region!));
        expect(found.slice(0, order.length), `${many}`).toEqual(expected);
      }
      const found = new Float32Array(await download(sort.keys)).slice(0, order.length);
      expect(found, `${many}`).toEqual(Float32Array.from(order, (i) => Number(keys[i])));
    }
    expect(await download({ buffer, offset: 0, bytes: 4 * capacity })).toStrictEqual(
      wordsOfKeys(keys).buffer,
    );
    for (const one of [buffer, carried, count]) one.destroy();
  });

  it.each<[TypeName, number, number]>([
    ["u16", 5000, 10],
    ["f32", 300, 300],
  ])("leave a prepared sort's input alone where all keys are sorted: %s", async (name, capacity, top) => {
    const keys = wordsOfKeys(distributions.uniform!(elementType(name), capacity));
    const values = new Uint32Array(capacity).map((_, i) => 3 * i);
    const [buffer, carried] = [upload(keys), upload(values)];
    using pairs = await sorter.prepare({
      type: name,
      capacity,
      top,
      keys: buffer,
      payload: 4,
      values: carried,
    });
    using alone = await sorter.prepare({ type: name, capacity, top, keys: buffer });
    submit((encoder) => {
      pairs.encode(encoder);
      alone.encode(encoder);
    });
    expect(await download({ buffer, offset: 0, bytes: keys.byteLength })).toStrictEqual(keys.buffer);
    expect(await download({ buffer: carried, offset: 0, bytes: 4 * capacity })).toStrictEqual(values.buffer);
    for (const one of [buffer, carried]) one.destroy();
  });

  it("are counted by a prepared sort, with their number in a word on the device", async () => {
    for (const name of fewerOnLavapipe<TypeName>(["u8", "u16", "f32", "u64"], ["u8", "f32"])) {
      const type = elementType(name);
      for (const distribution of ["few values", "uniform"]) {
        const keys = distributions[distribution]!(type, 5001);
        const buffer = upload(wordsOfKeys(keys));
        const count = upload(new Uint32Array([0, 0, 0, 4321]));
        const description = { type: name, capacity: 5001, unique: "counts", descending: true } as const;
        for (const many of [undefined, 4321]) {
          const given = many === undefined ? {} : { count: { buffer: count, offset: 12 } };
          using sort = await sorter.prepare({ ...description, ...given, input: "keep", keys: buffer });
          submit((encoder) => sort.encode(encoder));
          const expected = expectedRuns(keys.slice(0, many) as KeyArray, true);
          const where = `${name} ${distribution} ${many}`;
          const [distinct] = new Uint32Array(await download(sort.distinct!));
          expect(distinct, where).toBe(expected.keys.length);
          const found = new type.array(await download(sort.keys)).slice(0, distinct);
          expect(found, where).toEqual(expected.keys);
          const counts = new Uint32Array(await download(sort.counts!)).slice(0, distinct);
          expect(counts, where).toEqual(expected.counts);
        }
        buffer.destroy();
        count.destroy();
      }
    }
  });
});
