import { expect, it } from "vitest";
import type { Gpu } from "../../src/core/device/gpu.js";
import { type ElementType, elementType, type KeyArray } from "../../src/core/elements.js";
import { mix } from "../../src/core/items/mix.js";
import type { SortOptions } from "../../src/core/sort/key.js";
import type { MsdTuning } from "../../src/core/sort/msd/msd_tuning.js";
import { radixPlan } from "../../src/core/sort/radix/radix.js";
import type { SubgroupTuning } from "../../src/core/sort/radix/radix_tuning.js";
import { distribution, generateKeys } from "../../src/testdata/distributions.js";
import { readRange } from "../support/cpu_kernels/key_range.js";
import { randomPlace } from "../support/cpu_kernels/msd_sample.js";
import { runOnCpu } from "../support/cpu_kernels/run.js";
import { samplePlace } from "../support/cpu_kernels/select.js";
import { movesKeys, Status } from "../support/cpu_kernels/status.js";
import { runFenced } from "../support/fenced.js";
import { distributions, keysNearZero, keysOfQuarters, randomKeys, wordsOfKeys } from "../support/keys.js";
import { expectSorted } from "../support/radix_case.js";
import { type Network, shuffled, smallMsd } from "../support/small_msd.js";
import { describeOnSubgroups, fewerOnLavapipe, selector, UP_TO_16 } from "./device.js";

/** Lavapipe takes half a minute to compile the kernels of the largest network. */
const networks: readonly Network[] = selector === "swiftshader" ? [3, 9] : [5];
const levels = [
  { name: "one level", segmentBits: 4n, digitBits: 4, second: undefined },
  // The first level has more digit values than the fallback moves.
  { name: "two levels", segmentBits: 8n, digitBits: 5, second: { digitBits: 3, tilesPerChunk: 2 } },
] as const;
const bitsOf = { u32: 32n, u64: 64n } as const;
type Name = "u32" | "u64" | "f32" | "f64";
const types = fewerOnLavapipe(["u32", "u64"], ["u64"]);
/** Distributions of the right width of segments for their tiles, and of the wrong one. */
const fitting = [
  ["uniform", true],
  ["sorted", true],
  ["shared-8", true],
  ["shared-16", true],
  ["low-byte", true],
  ["constant", false],
  ["half-equal", false],
] as const;
/** Numbers of values of uniform keys, most of which are no powers of two. */
const spans = (bits: number) => [
  2n ** 16n + 1n,
  3n * 2n ** 20n,
  2n ** BigInt(bits - 1) + 12_345n,
  5n * 2n ** BigInt(bits - 5),
];
/** Random keys that differ in some fields only, of bits given in eighths, and whether there is a gap between these. */
function packedKeys(typeName: Name, count: number): { keys: KeyArray; hasGap: boolean }[] {
  const type = elementType(typeName);
  const eighth = BigInt(type.bytes);
  const all = 2n ** (8n * eighth) - 1n;
  const field = (begin: bigint, end: bigint) => 2n ** (end * eighth) - 2n ** (begin * eighth);
  const masked = (mask: bigint) => {
    const keys = [...randomKeys(type, count, 11)].map((key) => BigInt(key) & mask);
    return (type.words === 2 ? BigUint64Array.from(keys) : Uint32Array.from(keys, Number)) as KeyArray;
  };
  return [
    { keys: masked(all ^ (7n << (8n * eighth - 4n))), hasGap: true },
    { keys: masked(field(0n, 1n) | field(7n, 8n)), hasGap: true },
    { keys: masked(field(0n, 4n) | field(6n, 8n)), hasGap: true },
    { keys: masked(field(0n, 2n) | field(4n, 6n)), hasGap: true },
    { keys: masked(field(2n, 4n) | field(6n, 8n)), hasGap: true },
    // The gap of 64 bits is too far down.
    { keys: masked(field(0n, 2n) | field(4n, 8n)), hasGap: type.words === 1 },
    { keys: masked(field(4n, 8n)), hasGap: false },
  ];
}

const noise = [...randomKeys(elementType("u32"), 4096, 3)].map((key) => BigInt(key));

/** Uniform keys of `span` values from some 40% of the way to the greatest key on. */
function keysInRange(typeName: Name, count: number, span: bigint): KeyArray {
  const type = elementType(typeName);
  const all = 2n ** BigInt(8 * type.bytes);
  const least = ((all - span) * 2n) / 5n;
  const random = [...randomKeys(elementType("u64"), count, 9)].map(
    (key) => least + ((BigInt(key) * span) >> 64n),
  );
  return (type.words === 2 ? BigUint64Array.from(random) : Uint32Array.from(random, Number)) as KeyArray;
}

/** The range that a sample has found. */
const rangeOf = ({ key_range }: Record<string, Uint32Array>, { words }: ElementType) =>
  readRange(key_range!, 32 * words);

/**
 * Sorts keys on a device and by the CPU kernels, and checks the result and the range of keys that was found.
 *
 * @returns the buffers of both, and what was found: whether the segments are sorted, since they fit or since
 *   their keys are equal, and the unused bits.
 */
async function checkedSort(
  gpu: Gpu,
  type: ElementType,
  keys: KeyArray,
  descending: boolean,
  tuning: SubgroupTuning,
) {
  const one = { type, keys, options: { descending }, traits: gpu.traits, tuning };
  const output = await expectSorted((plan, inputs) => runFenced(gpu, plan, inputs), one);
  const plan = radixPlan(keys.length, type, { descending }, gpu.traits, tuning);
  const expected = runOnCpu(plan, { keys: wordsOfKeys(keys) });
  const range = rangeOf(output, type);
  expect(range).toEqual(rangeOf(expected, type));
  expect(output.status![0]).toBe(expected.status![0]);
  const status = output.status![0]!;
  const found = {
    fits: movesKeys(status),
    equal: status === Status.EQUAL_SEGMENTS,
    unused: range.unused,
    hasGap: range.gapBits > 0,
  };
  return { output, expected, found };
}

for (const { name, segmentBits, digitBits, second } of levels) {
  for (const keysPerInvocation of networks) {
    const tile = 32 * keysPerInvocation;
    const segments = 2 ** Number(segmentBits);

    describeOnSubgroups(
      UP_TO_16,
      `a sort by MSD of ${name}, in tiles of 32 x ${keysPerInvocation}, on ${selector}`,
      ({ gpu }, subgroupSize) => {
        /** Sorts, checks the result, and returns whether every segment fit its tile. */
        const fits = async (
          typeName: "u32" | "u64",
          keys: readonly bigint[],
          descending = false,
          long?: MsdTuning["local"],
        ) => {
          const type = elementType(typeName);
          const words = keys.flatMap((key) =>
            type.words === 1 ? [Number(key)] : [Number(key & 0xffff_ffffn), Number(key >> 32n)],
          );
          const array = new type.array(new Uint32Array(words).buffer) as KeyArray;
          const both = second && { ...second, long };
          const tuning = smallMsd(subgroupSize, keysPerInvocation, { digitBits, second: both });
          const one = { type, keys: array, options: { descending }, traits: gpu.traits, tuning };
          const output = await expectSorted((plan, inputs) => runFenced(gpu, plan, inputs), one);
          return output.status![0] === 1;
        };
        /** `count` keys of a segment, with some bits below those that the segment shares. */
        const segmentOf = (
          type: "u32" | "u64",
          segment: number,
          count: number,
          low: (i: number) => bigint = anywhere(type),
        ) =>
          Array.from({ length: count }, (_, i) => (BigInt(segment) << (bitsOf[type] - segmentBits)) | low(i));
        const anywhere = (type: "u32" | "u64") => (i: number) =>
          (noise[i % 4096]! << (bitsOf[type] - 32n)) & ((1n << (bitsOf[type] - segmentBits)) - 1n);

        it("sorts segments that just fit a tile, and falls back if one does not", async () => {
          for (const type of types) {
            for (const longest of [tile - 1, tile, tile + 1]) {
              for (const segment of [0, segments / 2 - 1, segments - 1]) {
                const others = Array.from({ length: segments }, (_, i) => i).filter((i) => i !== segment);
                const keys = [
                  ...segmentOf(type, segment, longest),
                  ...others.flatMap((other) => segmentOf(type, other, other % 7)),
                ];
                expect(await fits(type, shuffled(keys)), `${longest} of ${segment}`).toBe(longest <= tile);
              }
            }
          }
        });

        it("sorts whole tiles whose keys share a bin", async () => {
          for (const type of types) {
            // The seven bits below those of the segment choose the bin, and are the same here.
            const lows: Record<string, (i: number) => bigint> = {
              ascending: (i) => BigInt(i),
              descending: (i) => BigInt(tile - i),
              random: (i) => noise[i]! & 0x1ffffn,
              "two values": (i) => noise[i]! & 1n,
              "one value": () => 5n,
              "one key smaller": (i) => (i === tile - 1 ? 0n : 5n),
              "one key in another bin": (i) =>
                i === 0 ? 1n << (bitsOf[type] - segmentBits - 7n) : BigInt(tile - i),
            };
            for (const low of Object.values(lows)) {
              const keys = [3, 4, segments - 1].flatMap((segment) => segmentOf(type, segment, tile, low));
              expect(await fits(type, keys)).toBe(true);
            }
          }
        });

        it("sorts equal keys, also those that equal its padding", async () => {
          for (const type of types) {
            const all = (1n << bitsOf[type]) - 1n;
            for (const key of [0n, all, 1n << (bitsOf[type] - 1n)]) {
              for (const count of [2, tile, tile + 1, 20 * tile]) {
                const keys = new Array<bigint>(count).fill(key);
                expect(await fits(type, keys, key === 0n)).toBe(count <= tile);
              }
            }
            const mixed = Array.from({ length: tile }, (_, i) => (i % 3 === 0 ? all : all - BigInt(i)));
            expect(await fits(type, mixed)).toBe(true);
          }
        });

        if (!second) return;

        it("sorts long segments of the first level by the second, in several chunks", async () => {
          for (const type of types) {
            // Every new segment of segments 2 and 9 has a full tile.
            const full = [2, 9].flatMap((top) =>
              Array.from({ length: 8 }, (_, i) => segmentOf(type, top * 8 + i, tile)).flat(),
            );
            expect(await fits(type, shuffled(full))).toBe(true);
            expect(await fits(type, shuffled([...full, ...segmentOf(type, 16, 1)]))).toBe(false);
            expect(await fits(type, shuffled([...full, ...segmentOf(type, 24, tile + 1)]))).toBe(false);
          }
        });

        it("sorts segments that exceed a tile in longer ones", async () => {
          const long = { workgroupSize: 64, keysPerInvocation, binBits: 7 } as const;
          for (const type of types) {
            for (const longest of [tile + 1, 2 * tile, 2 * tile + 1]) {
              const keys = [0, 9, 77, segments - 1].flatMap((segment) => segmentOf(type, segment, longest));
              const some = shuffled([...keys, ...segmentOf(type, 5, tile), ...segmentOf(type, 6, 3)]);
              expect(await fits(type, some, false, long), `${longest}`).toBe(longest <= 2 * tile);
            }
          }
        });
      },
    );
  }
}

for (const { name, digitBits, second } of levels) {
  const samples = 512; // half of which are enough for most keys
  const keyCount = second ? 9000 : 900;

  describeOnSubgroups(
    UP_TO_16,
    `a sort by MSD of ${name} that samples its keys first, on ${selector}`,
    ({ gpu }, subgroupSize) => {
      const base = smallMsd(subgroupSize, networks[0]!, { digitBits, second }, { fusedScan: false });
      const tuning: SubgroupTuning = { ...base, msd: { ...base.msd!, samples } };

      /**
       * Sorts and checks keys, also what the sample told. Returns whether the segments fit, and the unused
       * bits.
       */
      const sort = async (typeName: Name, keys: KeyArray, descending: boolean) => {
        const type = elementType(typeName);
        const { output, expected, found } = await checkedSort(gpu, type, keys, descending, tuning);
        expect(output.outliers![0]).toBe(expected.outliers![0]);
        return found;
      };
      const keysOf = (typeName: Name, dist: string) =>
        generateKeys(distribution(dist), elementType(typeName), keyCount, 5);

      it("sorts keys of every distribution, and finds their range", async () => {
        for (const type of types) {
          const bits = 8 * elementType(type).bytes;
          for (const [dist, fits] of fitting) {
            const equal = second !== undefined && ["constant", "low-byte"].includes(dist);
            expect(await sort(type, keysOf(type, dist), type === "u64"), dist).toMatchObject({
              fits: fits || equal,
              equal,
            });
          }
          for (const span of spans(bits)) {
            const keys = keysInRange(type, keyCount, span);
            expect(await sort(type, keys, type === "u64"), `${type} of ${span}`).toMatchObject({
              fits: true,
              equal: false,
            });
          }
          for (const [i, { keys, hasGap }] of packedKeys(type, keyCount).entries()) {
            const found = await sort(type, keys, type === "u64");
            expect([found.fits, found.hasGap], `${type} ${i}`).toEqual([true, hasGap]);
          }
        }
        for (const float of fewerOnLavapipe(["f32", "f64"], [])) {
          for (const dist of ["uniform", "nan-laced"]) {
            expect(await sort(float, keysOf(float, dist), true)).toMatchObject({ unused: 0 });
          }
          // Most floats from 0 to 1 share their topmost digit.
          expect(await sort(float, keysOf(float, "unit"), false)).toMatchObject({ fits: false });
        }
      });

      if (second) {
        it("sorts signed keys near 0 by the moves that their distance from 0 needs", async () => {
          for (const name of fewerOnLavapipe(["i32", "i64"] as const, ["i32"])) {
            const type = elementType(name);
            for (const bits of [9, 13, 22, 8 * type.bytes - 1]) {
              const keys = keysNearZero(type, keyCount, bits, bits === 9 ? 2 ** 20 : 0);
              const { output, expected, found } = await checkedSort(gpu, type, keys, bits % 2 === 1, tuning);
              expect(found.fits).toBe(false);
              const published = ({ status }: typeof output) => status!.slice(1, 1 + type.words);
              expect(published(output)).toEqual(published(expected));
            }
          }
        });

        it("sorts keys by their digits alone if these tell all keys of the range apart", async () => {
          for (const type of types) {
            const { words } = elementType(type);
            const values = 2 ** (digitBits + second.digitBits);
            // The ranges begin at a power of two, below one, and at the last keys of all.
            for (const base of [
              [0, 7],
              [0x7fff_ffc0, 0xffff_ff00 - 40],
              [0xffff_ff00, 0xffff_ffff],
            ] as const) {
              // Far more keys have the first value than fit a tile.
              const keyOf = (i: number, most: number) =>
                i % 3 === 0 ? 0 : Math.floor((mix(i) / 2 ** 32) * most);
              const keys = (most: number) => {
                const first = words === 2 ? (BigInt(base[1]) << 32n) + BigInt(base[0]) : BigInt(base[0]);
                const all = Array.from({ length: keyCount }, (_, i) => first + BigInt(keyOf(i, most)));
                return (words === 2 ? BigUint64Array.from(all) : Uint32Array.from(all, Number)) as KeyArray;
              };
              for (const descending of [false, true]) {
                expect(await sort(type, keys(values / 2), descending)).toMatchObject({ equal: true });
                // The sample has a margin at both ends, so twice as many values do not fit the digits.
                expect(await sort(type, keys(2 * values), descending)).toMatchObject({ fits: false });
              }
            }
          }
        });
      }

      it("sorts keys of which one that the sample missed is outside the range of the others", async () => {
        for (const type of types) {
          for (const dist of ["shared-8", "low-byte"]) {
            const keys = keysOf(type, dist);
            const sampled = new Set(Array.from({ length: samples }, (_, i) => randomPlace(i, keyCount)));
            for (const missed of [keyCount - 1, keyCount - 2, 5, 6, 7]
              .filter((at) => !sampled.has(at))
              .slice(0, 3)) {
              for (const outlier of [0, 0xffff_ffff]) {
                const some = keys.slice() as KeyArray;
                const { words } = elementType(type);
                new Uint32Array(some.buffer).fill(outlier, missed * words, (missed + 1) * words);
                expect(await sort(type, some, false)).toMatchObject({ fits: false });
              }
            }
          }
        }
      });
    },
  );
}

const rangeSamples = 256;
const keyCount = 900;

describeOnSubgroups(
  UP_TO_16,
  `a sort by MSD whose count samples its keys, on ${selector}`,
  ({ gpu }, subgroupSize) => {
    /**
     * Sorts and checks keys, also what the count found. Returns whether the segments fit, and the unused bits.
     */
    const sort = async (
      typeName: Name,
      keys: KeyArray,
      descending = false,
      some: Partial<MsdTuning> = {},
    ) => {
      const type = elementType(typeName);
      const base = smallMsd(subgroupSize, networks[0]!, { digitBits: 4, rangeSamples });
      const msd: MsdTuning = { ...base.msd!, ...some };
      const { columns, digitBits } = msd;
      const tuning: SubgroupTuning = { ...base, columns, msd };
      const { output, expected, found } = await checkedSort(gpu, type, keys, descending, tuning);
      // What was counted, with the marks of chunks that have outliers. The last moves may have reused the rest.
      const counted = columns * 2 ** digitBits;
      expect([...output.top_counts!.subarray(0, counted)]).toEqual([
        ...expected.top_counts!.subarray(0, counted),
      ]);
      return found;
    };
    const keysOf = (typeName: Name, dist: string) =>
      generateKeys(distribution(dist), elementType(typeName), keyCount, 3);

    it("sorts keys of every distribution, and finds their range", async () => {
      for (const type of types) {
        const bits = 8 * elementType(type).bytes;
        for (const [dist, fits] of fitting) {
          expect(await sort(type, keysOf(type, dist), type === "u64"), dist).toMatchObject({ fits });
        }
        for (const span of spans(bits)) {
          const keys = keysInRange(type, keyCount, span);
          expect(await sort(type, keys, type === "u64"), `${type} of ${span}`).toMatchObject({ fits: true });
        }
        for (const [i, { keys, hasGap }] of packedKeys(type, keyCount).entries()) {
          const found = await sort(type, keys, type === "u64");
          expect([found.fits, found.hasGap], `${type} ${i}`).toEqual([true, hasGap]);
        }
      }
      for (const float of fewerOnLavapipe(["f32", "f64"], [])) {
        for (const dist of ["uniform", "nan-laced", "unit"]) await sort(float, keysOf(float, dist), true);
      }
    });

    it("sorts keys of which some that the sample missed are outside the range of the others", async () => {
      const sampled = new Set(
        Array.from({ length: rangeSamples }, (_, i) => samplePlace(i, rangeSamples, keyCount)),
      );
      const missed = Array.from({ length: keyCount }, (_, i) => i).filter((i) => !sampled.has(i));
      for (const type of types) {
        const { words } = elementType(type);
        for (const dist of ["shared-8", "low-byte"]) {
          const keys = keysOf(type, dist);
          for (const places of [missed.slice(0, 1), missed.slice(-1), missed]) {
            for (const outlier of [0, 0xffff_ffff]) {
              const some = keys.slice() as KeyArray;
              const bits = new Uint32Array(some.buffer);
              for (const at of places) bits.fill(outlier, at * words, (at + 1) * words);
              expect(await sort(type, some)).toMatchObject({ fits: false });
            }
          }
        }
        // The upper and the lower quarter differ, and in one key a bit between them, too. Above the gap of 64
        // bits are 16, so its first quarter remains.
        const begin = words === 2 ? 24 : 8;
        for (const [bit, isIn] of [
          [begin - 1, false],
          [begin, true],
          [24 * words - 1, true],
        ] as const) {
          const some = keysOfQuarters(elementType(type), keyCount, 0b1001);
          new Uint32Array(some.buffer)[missed[0]! * words + (bit >> 5)]! ^= 1 << (bit & 31);
          expect(await sort(type, some), `${type} ${bit}`).toMatchObject({ fits: !isIn, hasGap: true });
        }
      }
    });

    it("falls back if every one of the most chunks has an outlier, and only then", async () => {
      // As many chunks as the tuning table allows where workgroups add up the counts themselves, of a tile
      // each.
      const columns = 132;
      const chunk = 64;
      const local = { workgroupSize: 64, keysPerInvocation: networks.at(-1)!, binBits: 7 };
      const keys = generateKeys(distribution("shared-8"), elementType("u32"), columns * chunk, 3);
      const some = { columns, digitBits: 5, local };
      expect(await sort("u32", keys, false, some)).toMatchObject({ fits: true });
      const sampled = new Set(
        Array.from({ length: rangeSamples }, (_, i) => samplePlace(i, rangeSamples, keys.length)),
      );
      for (let begin = 0; begin < keys.length; begin += chunk) {
        let at = begin;
        while (sampled.has(at)) at++;
        keys[at] = 0xffff_ffff - Number(keys[at]);
      }
      expect(await sort("u32", keys, false, some)).toMatchObject({ fits: false });
    });
  },
);

for (const { name, digitBits, second } of levels) {
  const samples = 64;
  const maxDistinct = 8;

  describeOnSubgroups(
    UP_TO_16,
    `a sort by MSD of ${name} that counts few distinct values, on ${selector}`,
    ({ gpu }, subgroupSize) => {
      // Two levels make 1,024 segments. Of 600 workgroups that sort them, 512 write keys of few values.
      const next = second && { ...second, digitBits: 5 };
      const base = smallMsd(subgroupSize, networks[0]!, { digitBits, second: next }, { fusedScan: false });
      const localWorkgroups = second ? 600 : 7;
      const tuning: SubgroupTuning = {
        ...base,
        msd: { ...base.msd!, localWorkgroups, samples, maxDistinct },
      };

      /** Sorts and checks keys. Returns what "status" became, which the CPU kernels must agree on. */
      const sort = async (typeName: Name, keys: KeyArray, some: Partial<SortOptions> = {}) => {
        const type = elementType(typeName);
        const options = { descending: type.words === 2, ...some };
        const one = { type, keys, options, traits: gpu.traits, tuning };
        const output = await expectSorted((plan, inputs) => runFenced(gpu, plan, inputs), one);
        const plan = radixPlan(keys.length, type, options, gpu.traits, tuning);
        const expected = runOnCpu(plan, { keys: wordsOfKeys(keys) });
        expect(output.status![0]).toBe(expected.status![0]);
        expect(output.outliers![0]).toBe(expected.outliers![0]);
        if (expected.status![0] === 2) {
          const wordsOf = ({ distinct_keys: words }: Record<string, Uint32Array>) => {
            const found = words![type.words * maxDistinct]!;
            const totalsAt = type.words * maxDistinct + 1;
            return [
              found,
              ...words!.subarray(0, type.words * found),
              ...words!.subarray(totalsAt, totalsAt + maxDistinct),
            ];
          };
          expect(wordsOf(output)).toEqual(wordsOf(expected));
        }
        return expected.status![0]!;
      };
      /** `count` keys, of which key i has the bits of value `which(i)`. */
      const keysOf = (
        typeName: Name,
        count: number,
        values: readonly bigint[],
        which = (i: number) => i * 5,
      ) => {
        const type = elementType(typeName);
        const words = Array.from({ length: count }, (_, i) => values[which(i) % values.length]!).flatMap(
          (key) => (type.words === 1 ? [Number(key)] : [Number(key & 0xffff_ffffn), Number(key >> 32n)]),
        );
        return new type.array(new Uint32Array(words).buffer) as KeyArray;
      };
      /** Different values. All bits of some of them are set, or clear. */
      const spread = (typeName: Name, count: number) => {
        const bits = 8n * BigInt(elementType(typeName).bytes);
        const all = (1n << bits) - 1n;
        const random = [...randomKeys(elementType("u64"), count, 5)].map((key) => BigInt(key) & all);
        return [all, 0n, ...random].slice(0, count);
      };
      /** The places of samples in `count` keys. */
      const sampledOf = (count: number) => {
        return new Set(Array.from({ length: samples }, (_, i) => randomPlace(i, count)));
      };
      /** Other types differ in kernels that other tests run. */
      const few: readonly Name[] = fewerOnLavapipe(["u64", "f32"], ["f32"]);

      it("counts up to so many values, and moves keys of more", async () => {
        for (const type of few) {
          for (const [values, count] of [
            [1, samples],
            [2, 1000],
            [maxDistinct, 2049],
            [3, 20_000],
          ] as const) {
            const keys = keysOf(type, count, spread(type, values));
            expect(await sort(type, keys), `${values} values`).toBe(2);
          }
          const keys = keysOf(type, 999, spread(type, maxDistinct - 1));
          expect(await sort(type, keys, { keepInput: true })).toBe(2);
          const more = keysOf(type, 2000, spread(type, maxDistinct + 1));
          expect(await sort(type, more)).toBe(0);
        }
      });

      it.runIf(second)("moves keys of more values if their digits tell them apart", async () => {
        const values = Array.from({ length: 128 }, (_, i) => BigInt(1024 + i));
        for (const type of few) {
          // A third of the keys are equal, more than fit a tile.
          const keys = keysOf(type, 1500, values, (i) => (i % 3 === 0 ? 0 : mix(i)));
          expect(await sort(type, keys)).toBe(Status.EQUAL_SEGMENTS);
        }
      });

      it("counts values that the same slot is chosen for, and long runs of a value", async () => {
        for (const type of few) {
          // The slot depends on the key's product with a number, whose topmost bits are 0 for these.
          const values = Array.from({ length: maxDistinct }, (_, i) => BigInt(i));
          expect(await sort(type, keysOf(type, 1500, values))).toBe(2);
          const runs = keysOf(type, 3000, spread(type, maxDistinct), (i) => Math.floor(i / 375));
          expect(await sort(type, runs)).toBe(2);
          const most = keysOf(type, 3000, spread(type, 2), (i) => (i % 700 === 699 || i < 50 ? 1 : 0));
          expect([0, 2]).toContain(await sort(type, most));
        }
      });

      it("sorts keys of which one has a value that the sample missed", async () => {
        for (const type of few) {
          const count = 1900;
          const sampled = sampledOf(count);
          const missed = [count - 1, count - 2, 777].find((at) => !sampled.has(at));
          const which = (i: number) => (i === missed ? maxDistinct : i % maxDistinct);
          expect(await sort(type, keysOf(type, count, spread(type, maxDistinct + 1), which))).toBe(0);
        }
      });

      it("keeps the bits of NaNs and of zeros of both signs", async () => {
        const values = [0n, 0x8000_0000n, 0x7fc0_0000n, 0xffc0_0001n, 0x7f80_0001n, 0x7f80_0000n];
        expect(await sort("f32", keysOf("f32", 1024, values))).toBe(2);
      });

      it("moves keys with values or by some bits, however few they are", () => {
        for (const options of [
          { payload: 4 },
          { payload: "index" },
          { bits: { begin: 0, end: 32 } },
        ] as const) {
          const type = elementType("u32");
          const plan = radixPlan(1024, type, { descending: false, ...options }, gpu.traits, tuning);
          expect(Object.keys(plan.buffers)).not.toContain("distinct_keys");
        }
      });
    },
  );
}

for (const keysPerInvocation of networks) {
  const tile = 32 * keysPerInvocation;
  const oneWorkgroup = { workgroupSize: 32, keysPerInvocation, binBits: 6, rankBits: 5, maxBinKeys: 12 };

  describeOnSubgroups(
    UP_TO_16,
    `a sort by one workgroup, in a tile of 32 x ${keysPerInvocation}, on ${selector}`,
    ({ gpu }, subgroupSize) => {
      const sort = async (type: ElementType, keys: KeyArray, options: SortOptions) => {
        const tuning = smallMsd(subgroupSize, keysPerInvocation, { digitBits: 4 }, { oneWorkgroup });
        const one = { type, keys, options, traits: gpu.traits, tuning };
        const plan = radixPlan(keys.length, type, options, gpu.traits, tuning);
        expect(plan.passes.length === 1, `${keys.length} keys`).toBe(keys.length <= tile);
        await expectSorted((planned, inputs) => runFenced(gpu, planned, inputs), one);
      };

      it("sorts every number of keys that fits, and more keys by several workgroups", async () => {
        for (const name of fewerOnLavapipe(["u32", "i64"], ["i64"])) {
          const type = elementType(name);
          for (const size of [2, 3, keysPerInvocation, 31, 32, 33, tile - 1, tile, tile + 1]) {
            await sort(type, randomKeys(type, size, size), { descending: size % 2 === 0 });
          }
          await sort(type, randomKeys(type, tile, 1), { descending: false, keepInput: true });
        }
      });

      it("sorts any distribution of any type", async () => {
        for (const [name, descending] of [
          ["u32", false],
          ["f32", true],
          ["f64", false],
        ] as const) {
          const type = elementType(name);
          for (const make of Object.values(distributions)) await sort(type, make(type, tile), { descending });
        }
      });

      it("sees what a round of bins that overflow leaves out of order", async () => {
        for (let at = 0; at < 12; at++) {
          const keys = new Uint32Array(tile).fill(5);
          keys[at] = 4; // in the same bin, as the last key is far away
          keys[tile - 1] = 2 ** 31;
          await sort(elementType("u32"), keys, { descending: false });
        }
      });

      it("ranks keys that differ in their high word only", async () => {
        const keys = new BigUint64Array(tile).map((_, i) => (BigInt((i * 379) % 1000) << 32n) | 7n);
        keys[3] = (1n << 63n) | 7n;
        await sort(elementType("u64"), keys, { descending: false });
      });

      it("sorts keys that differ in some bits only", async () => {
        for (const bits of [1, 5, 6, 7, 12, 31, 32, 33, 38, 39, 63]) {
          const mask = 2n ** BigInt(bits) - 1n;
          for (const rest of [0n, 2n ** 64n - 1n - mask]) {
            const keys = new BigUint64Array(randomKeys(elementType("u64"), tile, bits).buffer as ArrayBuffer);
            const some = keys.map((key) => (key & mask) | rest);
            await sort(elementType("u64"), some, { descending: false });
            const low = new Uint32Array(new BigUint64Array(some).buffer).filter((_, i) => i % 2 === 0);
            await sort(elementType("u32"), low, { descending: false });
          }
        }
      });
    },
  );
}
