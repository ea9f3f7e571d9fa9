import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { elementType, elementTypes } from "../../../src/core/elements.js";
import { rangeOf } from "../../../src/core/plan/plan.js";
import { defaultTraits } from "../../../src/core/plan/traits.js";
import { inspectPlan, inspectSegmentsPlan } from "../../../src/core/sort/inspect.js";
import {
  type SegmentsTuning,
  segmentsPlan,
  segmentsTuning,
} from "../../../src/core/sort/segments/segments.js";
import { runOnCpu } from "../../support/cpu_kernels/run.js";
import { distributions, wordsOfKeys } from "../../support/keys.js";
import { expectSegmentsSorted, offsetsOf } from "../../support/segments_case.js";
import { mostWorkgroupBytes } from "../../support/workgroup_bytes.js";

/** So few keys are a window that most segments lie in several, and so few are short that most are listed. */
const sizes = {
  workgroupSize: 4,
  sortWorkgroupSize: 4,
  keysPerInvocation: 8,
  loadsAtOnce: 1,
  windowKeys: 9,
  shortKeys: 3,
} as const;
const radix = {
  family: "subgroup",
  digitBits: 3,
  workgroupSize: 8,
  subgroupSize: 4,
  keysPerInvocation: 1,
  columns: 1,
  lockstep: false,
  fusedScan: false,
} as const;
const local = (keysPerInvocation: number) => ({ workgroupSize: 8, keysPerInvocation });
/** Segments that no window holds are listed, for a workgroup each or in chunks. */
const listed = {
  ...sizes,
  lists: {
    radix,
    chunkKeys: 16,
    groupChunks: 2,
    locals: [local(1), local(3)],
    mostWorkgroups: { small: 3, medium: 2, count: 2, scatter: 3 },
  },
};
/** The tiles leave all that are not short to the lists. */
const lanes = { ...listed, subgroupSize: 4 };
const oneList = {
  ...sizes,
  lists: {
    radix,
    chunkKeys: 8,
    groupChunks: 2,
    locals: [local(2)],
    mostWorkgroups: { small: 3, medium: 2, count: 2, scatter: 3 },
  },
};
const inChunks = {
  ...sizes,
  lists: {
    radix: { family: "workgroup", digitBits: 4, workgroupSize: 4, keysPerInvocation: 3, columns: 1 } as const,
    chunkKeys: 12,
    groupChunks: 2,
    locals: [],
    mostWorkgroups: { small: 1, medium: 1, count: 1, scatter: 1 },
  },
};
const serial = {
  ...sizes,
  lists: {
    radix: { family: "serial", digitBits: 3, workgroupSize: 2, columns: 1, minKeysPerChunk: 1 } as const,
    chunkKeys: 7,
    locals: [],
    mostWorkgroups: { small: 0, medium: 0, count: 2, scatter: 1 },
  },
};
const traits = defaultTraits;
const devices = { hardware: traits, software: { ...traits, software: true } };
const ascending = { descending: false };

describe("a segmented sort", () => {
  it.each(elementTypes)("sorts segments of any lengths, with any values, stably: $name", async (type) => {
    const lengths = fc.oneof(
      fc.array(fc.nat(5), { maxLength: 80 }),
      fc.array(fc.constantFrom(0, 0, 0, 1, 2, 3, 4, 8, 9, 10, 12, 13, 17, 18, 19, 36, 37, 90), {
        maxLength: 30,
      }),
    );
    const cases = fc.record({
      lengths,
      before: fc.constantFrom(0, 0, 1, 7, 20),
      after: fc.constantFrom(0, 0, 1, 7, 20),
      distribution: fc.constantFrom(...Object.keys(distributions)),
      descending: fc.boolean(),
      payload: fc.constantFrom(0, 4, 8, "index" as const),
      keepInput: fc.boolean(),
      bits: fc.constantFrom(undefined, undefined, { begin: 2, end: 7 }, { begin: 3, end: 3 }),
      tuning: fc.constantFrom(listed, lanes, oneList, inChunks, serial),
      isPromised: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        cases,
        async ({ lengths, before, after, distribution, tuning, isPromised, ...more }) => {
          const offsets = offsetsOf(lengths, before);
          const options = { ...more, longest: isPromised ? Math.max(0, ...lengths) : undefined };
          const keys = distributions[distribution]!(type, offsets.at(-1)! + after);
          await expectSegmentsSorted(runOnCpu, { type, keys, offsets, options, traits, tuning });
        },
      ),
      { numRuns: 75 },
    );
  });

  const kinds = Object.entries(devices).flatMap(([device, own]) =>
    ["u8", "f32", "i64"].map((name, turn) => ({ device, name, own, turn })),
  );
  it.each(kinds)("sorts segments on both sides of every boundary: $name, $device", async (kind) => {
    const { name, own, turn } = kind;
    const type = elementType(name);
    const { windowKeys, shortKeys } = segmentsTuning(2 ** 16, type, ascending, own);
    const around = (n: number) => [n - 1, n, n + 1];
    const lengths = [shortKeys, windowKeys, windowKeys + shortKeys, 2 * windowKeys, 4 * windowKeys].flatMap(
      around,
    );
    // Each length takes each shift on each device, by one type or two.
    for (const [l, length] of lengths.entries()) {
      for (const [s, shift] of [0, 1, windowKeys - 1, shortKeys].entries()) {
        if ((l + s + turn) % 2 === 1) continue;
        const offsets = offsetsOf([shift, length, 5, length, 0]);
        const keys = distributions.specials!(type, offsets.at(-1)!);
        const options = { descending: shift === 1, payload: "index" as const };
        await expectSegmentsSorted(runOnCpu, { type, keys, offsets, options, traits: own });
      }
    }
  });

  it("sorts one segment of all keys, segments of one key, and no keys or segments", async () => {
    const type = elementType("u32");
    for (const payload of [0, 4, 8, "index"] as const) {
      for (const lengths of [
        [],
        [0],
        [0, 0, 0],
        [5000],
        new Array(3000).fill(1),
        [0, 2, ...new Array(5000).fill(0)],
      ]) {
        const offsets = offsetsOf(lengths);
        const keys = distributions.uniform!(type, offsets.at(-1)!);
        await expectSegmentsSorted(runOnCpu, {
          type,
          keys,
          offsets,
          options: { ...ascending, payload },
          traits,
        });
      }
    }
  });

  it("has only the passes, lists and buffers that the longest segment needs", () => {
    const type = elementType("u32");
    const planned = (longest: number | undefined, own: SegmentsTuning) => {
      const plan = segmentsPlan(
        { keyCount: 432, segmentCount: 9 },
        type,
        { ...ascending, longest },
        traits,
        own,
      );
      const kernels = plan.passes.map(({ program }) => program.kernel.replace(/^segments_/, ""));
      const { scratch, lists, chunk_counts } = plan.buffers;
      return { kernels: [...new Set(kernels)].join(" "), scratch: scratch!.bytes, lists, chunk_counts };
    };
    const none = { scratch: 4, lists: undefined, chunk_counts: undefined };
    for (const own of [listed, oneList, inChunks]) {
      expect(planned(3, own)).toEqual({ kernels: "plan sort", ...none });
      expect(planned(0, own)).toEqual({ kernels: "plan sort", ...none });
      expect(planned(432, own)).toEqual(planned(undefined, own));
      expect(planned(2 ** 31, own)).toEqual(planned(undefined, own));
    }
    // An invocation merges short ones from one buffer to the other.
    expect(planned(3, serial)).toEqual({ ...none, kernels: "plan serial_sort", scratch: 4 * 432 });
    expect(planned(4, serial)).toEqual(planned(undefined, serial));
    expect(planned(4, serial).kernels).toBe(
      "plan serial_sort radix_serial_count serial_scan radix_serial_scatter",
    );
    const room = (longest: number) => planned(longest, listed).lists?.bytes;
    expect(planned(8, listed)).toMatchObject({ kernels: "plan sort local", scratch: 4 });
    expect(planned(24, listed)).toMatchObject({ kernels: "plan sort local", chunk_counts: undefined });
    expect(room(8)).toBe(4 * (4 + 432 / 4));
    expect(room(24)).toBe(4 * (4 + 432 / 4 + 432 / 9));
    expect(planned(25, listed).kernels).toBe("plan sort local radix_count radix_scatter");
    expect(planned(25, listed).scratch).toBe(4 * 432);
  });

  it("loses no key if a segment is longer than it was promised, and sorts the short ones", async () => {
    const type = elementType("u32");
    const cases = fc.record({
      lengths: fc.array(fc.constantFrom(0, 1, 2, 3, 4, 8, 9, 10, 17, 24, 25, 36, 90), { maxLength: 30 }),
      longest: fc.constantFrom(0, 1, 3, 4, 8, 16, 24, 25, 33),
      tuning: fc.constantFrom(listed, oneList, inChunks, serial),
    });
    fc.assert(
      fc.property(cases, ({ lengths, longest, tuning: own }) => {
        const segments = offsetsOf(lengths);
        const keys = wordsOfKeys(distributions.uniform!(type, segments.at(-1)!));
        const plan = segmentsPlan(
          { keyCount: keys.length, segmentCount: lengths.length },
          type,
          { ...ascending, longest },
          traits,
          own,
        );
        const output = runOnCpu(plan, { keys: keys.slice(), segments })[plan.result]!;
        const sorted = output.subarray(0, keys.length);
        expect(sorted.toSorted()).toEqual(keys.toSorted());
        lengths.forEach((length, s) => {
          const [begin, end] = [segments[s]!, segments[s + 1]!];
          if (length > own.shortKeys) return;
          expect(sorted.subarray(begin, end)).toEqual(keys.subarray(begin, end).toSorted());
        });
      }),
      { numRuns: 150 },
    );
  });

  it("has room in its lists for segments of any lengths", () => {
    const type = elementType("u32");
    const lengths = [4, 5, 8, 9, 16, 17, 24, 25, 32, 33, 432];
    for (const own of [listed, oneList, inChunks, serial]) {
      for (const length of lengths) {
        const offsets = offsetsOf(new Array(Math.floor(432 / length)).fill(length));
        const keys = wordsOfKeys(distributions.uniform!(type, 432));
        const plan = segmentsPlan(
          { keyCount: 432, segmentCount: offsets.length - 1 },
          type,
          ascending,
          traits,
          own,
        );
        // What an earlier run left in the scratch does not matter.
        const lists = new Uint32Array(plan.buffers.lists!.bytes / 4).fill(77);
        const output = runOnCpu(plan, { keys, segments: offsets, lists });
        const { windowKeys, shortKeys } = own;
        const isListed = (begin: number, end: number) =>
          end - begin > shortKeys &&
          (own === serial || Math.floor(begin / windowKeys) !== Math.floor((end - 1) / windowKeys));
        const [small, medium] = own === listed ? [8, 24] : own === oneList ? [0, 16] : [0, 0];
        const wanted = [0, 0, 0];
        for (let s = 0; s + 1 < offsets.length; s++) {
          if (!isListed(offsets[s]!, offsets[s + 1]!)) continue;
          if (length <= small) wanted[1]!++;
          else if (length <= medium) wanted[2]!++;
          else wanted[0]! += Math.ceil(length / own.lists.chunkKeys);
        }
        const where = `${length} keys, ${JSON.stringify(own)}`;
        expect([...output.lists!.subarray(0, 4)], where).toEqual([...wanted, wanted[0]]);
      }
    }
  });

  it("is inspected: the wrong pairs of neighbours between segments are told from those within them", () => {
    const cases = fc.record({
      type: fc.constantFrom(...elementTypes),
      lengths: fc.array(fc.nat(9), { minLength: 1, maxLength: 40 }),
      payload: fc.constantFrom(0, "index" as const),
      bits: fc.constantFrom(undefined, { begin: 1, end: 6 }),
    });
    fc.assert(
      fc.property(cases, ({ type, lengths, ...more }) => {
        const segments = offsetsOf(lengths);
        const keys = distributions["few values"]!(type, segments.at(-1)!);
        const options = { ...ascending, ...more };
        const values = new Uint32Array(keys.length).map((_, i) => i ^ 3);
        const input = { keys: wordsOfKeys(keys), values };
        const inspected = runOnCpu(inspectPlan(keys.length, type, options, traits), input);
        const between = inspectSegmentsPlan(
          { keyCount: keys.length, segmentCount: lengths.length },
          type,
          options,
          traits,
        );
        const { findings } = runOnCpu(between, { ...input, segments });
        let within = 0;
        for (let s = 0; s < lengths.length; s++) {
          const [begin, end] = [segments[s]!, segments[s + 1]!];
          const part = { keys: wordsOfKeys(keys.slice(begin, end)), values: values.slice(begin, end) };
          within += runOnCpu(inspectPlan(end - begin, type, options, traits), part).totals![2]!;
        }
        expect(inspected.totals![2]! - findings![0]!).toBe(within);
      }),
    );
  });

  it("binds no more than WebGPU guarantees, and takes no more memory of workgroups than the device has", async () => {
    for (const type of ["u8", "f16", "f32", "i64", "f64"].map((name) => elementType(name))) {
      for (const payload of [0, 4, 8, "index"] as const) {
        for (const kind of Object.values(devices)) {
          const options = { ...ascending, payload, keepInput: true };
          const plan = segmentsPlan({ keyCount: 2 ** 20, segmentCount: 2 ** 16 }, type, options, kind);
          for (const { bindings, program } of plan.passes) {
            expect(bindings.length, program.kernel).toBeLessThanOrEqual(8);
            const names = bindings.map((one) => rangeOf(one, plan.buffers).buffer);
            expect(new Set(names).size, "no buffer twice").toBe(names.length);
          }
          const most = await mostWorkgroupBytes(plan);
          expect(most).toBeLessThanOrEqual(kind.limits.maxComputeWorkgroupStorageSize);
        }
      }
    }
  });
});
