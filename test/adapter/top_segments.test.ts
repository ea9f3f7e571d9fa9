import fc from "fast-check";
import { afterAll, expect, it, vi } from "vitest";
import { elementType, type KeyArray, type TypeName } from "../../src/core/elements.js";
import { VerifyError } from "../../src/core/errors.js";
import { inspectFirstPlan } from "../../src/core/sort/inspect.js";
import { topSegmentsPlan } from "../../src/core/sort/select/top_segments.js";
import { createSorter } from "../../src/core/sorter/create.js";
import { runOnCpu } from "../support/cpu_kernels/run.js";
import { deviceBuffers } from "../support/device_buffers.js";
import { faultyDevice } from "../support/faulty_device.js";
import { runFenced } from "../support/fenced.js";
import { distributions, wordsOfKeys } from "../support/keys.js";
import type { Runner } from "../support/radix_case.js";
import { anyOffsets, expectedOrder, offsetsOf } from "../support/segments_case.js";
import { expectedFirsts, expectTopOfSegments } from "../support/top_segments_case.js";
import { describeOnDevice, fewerOnLavapipe, selector } from "./device.js";

// So small that some hundred keys are cut into parts, and some ten do not fit a workgroup's memory.
vi.mock("../../src/core/sort/select/select_tuning.js", async (original) => ({
  ...(await original<object>()),
  LEAST_PART: 64,
  PARTS_PER_TOP: 2,
  MOST_ROOM: 32,
  LEAST_SEGMENT: 16,
  LEAST_COPIED_RATIO: 1,
  FIRST_GROUPS: { hardware: 12, software: 12 },
}));

describeOnDevice(`the first keys of segments on ${selector}`, ({ gpu }) => {
  const run: Runner = (plan, inputs) => runFenced(gpu, plan, inputs);
  const software = gpu.traits;
  /** The workgroups of hardware without subgroups, which these kernels never need. */
  const hardware = { ...software, software: false, subgroups: false, lockstep: false };

  // Each width and each order. Keys of less than a word take long to compile.
  const types: readonly TypeName[] = ["u8", "f16", "i32", "f32", "u64", "f64"];
  it.each(fewerOnLavapipe(types, ["f32"]))("are those of each sorted segment: %s", async (name) => {
    const type = elementType(name);
    const shapes = [[1000, 0, 65, 64, 1, 33], Array.from({ length: 60 }, (_, i) => (i * i) % 47), [3000]];
    const some = [
      { top: 20, payload: 0 },
      { top: 1, payload: "index" },
      { top: 45, payload: 4 },
      { top: 45, payload: "index", unsorted: true },
      { top: 7, payload: 12, bits: { begin: 1, end: 7 } },
    ] as const;
    for (const [s, lengths] of shapes.entries()) {
      for (const [o, options] of fewerOnLavapipe(some, some.slice(1, 3)).entries()) {
        for (const distribution of fewerOnLavapipe(["specials", "few values"], ["specials"])) {
          const offsets = offsetsOf(lengths, 3 * s);
          const keys = distributions[distribution]!(type, offsets.at(-1)! + 2);
          const descending = (s + o) % 2 === 1;
          // SwiftShader takes long to compile what sorts more than fits the memory.
          const traits = options.top === 45 ? software : o === 0 ? software : hardware;
          await expectTopOfSegments(run, {
            type,
            keys,
            offsets,
            options: { ...options, descending },
            traits,
          });
        }
      }
    }
  });

  it("are right for any lengths, with ties", async () => {
    const type = elementType("f32");
    const cases = fc.record({
      lengths: fc.array(fc.constantFrom(0, 1, 2, 31, 32, 33, 63, 64, 65, 200, 900), { maxLength: 15 }),
      outside: fc.nat(30),
      top: fc.constantFrom(0, 1, 16, 31, 32),
      distribution: fc.constantFrom("uniform", "few values", "specials", "constant"),
      payload: fc.constantFrom(0, "index" as const),
      traits: fc.constantFrom(...fewerOnLavapipe([software, hardware], [software])),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ lengths, outside, top, distribution, payload, traits }) => {
        const offsets = offsetsOf(lengths, outside);
        const keys = distributions[distribution]!(type, offsets.at(-1)! + outside);
        const options = { descending: true, top, payload };
        await expectTopOfSegments(run, { type, keys, offsets, options, traits });
      }),
      { numRuns: fewerOnLavapipe([40], [5])[0]! },
    );
  });

  it("are checked as by the CPU's kernel, right or wrong", async () => {
    const cases = fc.record({
      name: fc.constantFrom<TypeName>(...fewerOnLavapipe<TypeName>(["f32", "u64", "u8"], ["f32"])),
      lengths: fc.array(fc.constantFrom(0, 1, 3, 40), { minLength: 1, maxLength: 8 }),
      top: fc.constantFrom(1, 3, 50),
      payload: fc.constantFrom(0, "index" as const),
      wrong: fc.option(fc.tuple(fc.nat(), fc.nat()), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ name, lengths, top, payload, wrong }) => {
        const type = elementType(name);
        const offsets = offsetsOf(lengths);
        const count = offsets.at(-1)!;
        const keys = distributions["few values"]!(type, count);
        const options = { descending: true, payload };
        const order = expectedOrder(keys, type, offsets, options);
        const { order: first, starts } = expectedFirsts(order, offsets, top);
        if (wrong && count > 0) first[wrong[0] % first.length] = wrong[1] % count;
        const some = first.length > 0 ? keys.slice(0, first.length) : keys.slice(0, 1);
        first.forEach((at, i) => {
          some[i] = keys[at]!;
        });
        const plan = inspectFirstPlan(
          { keyCount: count, segmentCount: lengths.length, firstCount: first.length },
          type,
          options,
          software,
        );
        const inputs = {
          ...{ keys: wordsOfKeys(keys), segments: offsets, starts },
          ...{ first_keys: wordsOfKeys(some as KeyArray), findings: new Uint32Array(4) },
          ...(payload === "index" ? { first_values: first } : {}),
        };
        const onDevice = await run(plan, inputs);
        expect(onDevice.findings).toEqual(runOnCpu(plan, inputs).findings);
      }),
      { numRuns: 60 },
    );
  });

  it("are stored nowhere else if offsets do not ascend or are past the keys", async () => {
    const type = elementType("u32");
    const keyCount = 700;
    const keys = wordsOfKeys(distributions.uniform!(type, keyCount));
    const cases = fc.record({
      offsets: anyOffsets(keyCount),
      top: fc.constantFrom(1, 20, 40),
      longest: fc.constantFrom(undefined, 0, 64, 700),
    });
    await fc.assert(
      fc.asyncProperty(cases, async ({ offsets, top, longest }) => {
        const options = { descending: false, payload: 4, top, longest };
        const plan = topSegmentsPlan({ keyCount, segmentCount: offsets.length - 1 }, type, options, software);
        // It throws if a word before or after any buffer has changed.
        const output = await runFenced(gpu, plan, {
          keys,
          values: keys,
          segments: Uint32Array.from(offsets),
        });
        expect(output.keys!.subarray(0, keyCount)).toEqual(keys);
      }),
      { numRuns: fewerOnLavapipe([40], [10])[0]! },
    );
  });
});

describeOnDevice(`a sorter that selects from segments on ${selector}`, async ({ gpu }) => {
  const { device } = gpu;
  const sorter = await createSorter(device);
  afterAll(() => sorter.destroy());
  const type = elementType("f32");

  it("gives the first keys of segments in buffers, and where they begin, each time that it runs", async () => {
    const { upload, download, submit } = deviceBuffers(device);
    const capacity = 900;
    const input = distributions.specials!(type, capacity);
    const [keys, offsets] = [upload(wordsOfKeys(input)), upload(new Uint32Array(5))];
    const segments = { capacity: 4, offsets };
    const some = { type: "f32", capacity, descending: true, payload: "index", top: 30 } as const;
    const description = { ...some, segments };
    await sorter.warm(description);
    const { result, scratch: needed } = sorter.requirements(description);
    expect(Object.keys(needed)).toContain(result.starts);
    const scratch = await sorter.createScratch(description);
    using sort = await sorter.prepare({ ...description, keys, scratch });
    using only = await sorter.prepare({ ...description, keys, output: "values", sorted: false });
    expect([sort.keys.bytes, sort.values?.bytes, sort.starts?.bytes]).toEqual([480, 480, 20]);
    for (const places of [
      [0, 300, 600, 880, 900],
      [10, 10, 15, 800, 800],
      [0, 0, 0, 0, 0],
    ]) {
      const own = Uint32Array.from(places);
      device.queue.writeBuffer(offsets, 0, own);
      submit((encoder) => {
        sort.encode(encoder);
        only.encode(encoder);
      });
      const all = expectedOrder(input, type, own, { descending: true, payload: "index" });
      const { order, starts } = expectedFirsts(all, own, 30);
      expect(new Uint32Array(await download(sort.starts!))).toEqual(starts);
      expect(new Uint32Array(await download(sort.values!)).subarray(0, order.length)).toEqual(order);
      const found = new Float32Array(await download(sort.keys)).subarray(0, order.length);
      expect(found).toEqual(Float32Array.from(order, (at) => Number(input[at])));
      const any = new Uint32Array(await download(only.values!)).slice(0, order.length);
      expect(any.sort()).toEqual(order.slice().sort());
    }
    expect(await download({ buffer: keys, offset: 0, bytes: 4 * capacity })).toStrictEqual(
      wordsOfKeys(input).buffer,
    );
    for (const one of [keys, offsets, ...Object.values(scratch)]) one.destroy();
  });

  // Whatever goes wrong on the device or on the way back, no wrong array is given back.
  const faults = [
    ["others than the first", "from_ordered(slots[i])", "from_ordered(slots[min(i + 1u, ROOM - 1u)])"],
    ["one of them twice", "move_value(origin_of(i), origin_of(i)", "move_value(origin_of(i), origin_of(0u)"],
    ["no more than a digit tells", "precedes(form_b, form_a)", "false"],
    [
      "those of another segment",
      "let segment = number / params.parts",
      "let segment = number / params.parts / 2u",
    ],
  ] as const;
  it.each(fewerOnLavapipe(faults, faults.slice(0, 1)))("does not give back %s", async (_, text, other) => {
    let changed = 0;
    const rewrite = (wgsl: string) => {
      if (wgsl.includes(text)) changed++;
      return wgsl.replace(text, other);
    };
    const faulty = await createSorter(faultyDevice(device, undefined, undefined, rewrite).device);
    const keys = distributions.uniform!(type, 900);
    const call = { segments: Uint32Array.of(0, 400, 900), top: 20 };
    // A wrong place of a key shows in the indices alone.
    await expect(faulty.argsort(keys, call).then(() => faulty.sort(keys, call))).rejects.toThrow(VerifyError);
    expect(changed).toBeGreaterThan(0);
    await expect(faulty.argsort(keys, { ...call, verify: false })).resolves.toHaveLength(40);
    faulty.destroy();
  });

  it("does not give back what changes on the way, or if the device counts wrongly", async () => {
    const keys = distributions.uniform!(type, 900);
    const call = { segments: Uint32Array.of(0, 400, 900), top: 20 };
    const windows = { argsort: 5, sort: 4 };
    for (const method of ["argsort", "sort"] as const) {
      for (let wrong = 0; wrong <= windows[method]; wrong++) {
        let seen = 0;
        const flip = (window: Uint8Array) => {
          if (seen++ === wrong) for (let at = 0; at < window.length; at += 4) window[at]! ^= 1;
        };
        const faulty = await createSorter(faultyDevice(device, undefined, flip).device);
        const result = faulty[method](keys, call);
        if (wrong === windows[method]) await expect(result).resolves.toHaveLength(40);
        else await expect(result, `${method} ${wrong}`).rejects.toThrow(VerifyError);
        if (wrong === windows[method]) expect(seen).toBe(wrong);
        faulty.destroy();
      }
    }
  });
});
