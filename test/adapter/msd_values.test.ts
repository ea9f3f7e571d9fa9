import { expect, it } from "vitest";
import { elementType, type KeyArray } from "../../src/core/elements.js";
import { mix } from "../../src/core/items/mix.js";
import type { SortOptions } from "../../src/core/sort/key.js";
import type { MsdTuning } from "../../src/core/sort/msd/msd_tuning.js";
import { distribution, generateKeys } from "../../src/testdata/distributions.js";
import { movesKeys } from "../support/cpu_kernels/status.js";
import { runFenced } from "../support/fenced.js";
import { distributions, keysOfQuarters } from "../support/keys.js";
import { expectSorted } from "../support/radix_case.js";
import { shuffled, smallMsd } from "../support/small_msd.js";
import { describeOnSubgroups, opened, selector, UP_TO_16 } from "./device.js";

const lockstep = opened?.gpu.traits.lockstep ?? false;

/** Lavapipe takes seconds to compile each kernel, so it gets few of them. */
const isQuick = selector === "swiftshader";
const network = 3;
const tile = 32 * network;
const levels = [
  { name: "one level", bits: 5, digitBits: 5, second: undefined },
  { name: "two levels", bits: 9, digitBits: 5, second: { digitBits: 4, tilesPerChunk: 2 } },
  {
    name: "two levels with long segments",
    bits: 9,
    digitBits: 5,
    second: { digitBits: 4, tilesPerChunk: 2, long: { workgroupSize: 64, keysPerInvocation: 3, binBits: 7 } },
  },
] as const;
type Name = "u32" | "i32" | "u64" | "i64";

for (const { name, bits, digitBits, second } of levels) {
  const segments = 2 ** bits;
  /** The most keys of a segment. */
  const most = second && "long" in second ? 2 * tile : tile;

  describeOnSubgroups(
    UP_TO_16,
    `a sort by MSD with values of ${name}, on ${selector}`,
    ({ gpu }, subgroupSize) => {
      /** Sorts keys with values, checks the result, and returns whether every segment fit. */
      const fits = async (
        type: Name,
        keys: KeyArray,
        options: Partial<SortOptions> = {},
        { samples, rangeSamples }: Pick<MsdTuning, "samples" | "rangeSamples"> = {},
      ) => {
        const fused = { fusedScan: second === undefined && samples === undefined, lockstep };
        const one = {
          type: elementType(type),
          keys,
          options: { descending: false, payload: 4, ...options },
          traits: gpu.traits,
          tuning: smallMsd(subgroupSize, network, { digitBits, second, samples, rangeSamples }, fused),
        };
        const output = await expectSorted((plan, inputs) => runFenced(gpu, plan, inputs), one);
        return movesKeys(output.status![0]!);
      };
      const keysOf = (type: Name, words: readonly number[]) =>
        new (elementType(type).array)(new Uint32Array(words).buffer) as KeyArray;
      /** `count` keys of a segment, of which many are equal. */
      const segmentOf = (segment: number, count: number, low = (i: number) => mix(i % 50)) =>
        Array.from({ length: count }, (_, i) => ((segment << (32 - bits)) | (low(i) >>> bits)) >>> 0);

      it("sorts segments that just fit a tile, and falls back if one does not", async () => {
        for (const longest of [tile - 1, tile, tile + 1, most, most + 1]) {
          for (const segment of [0, segments - 1]) {
            const others = Array.from({ length: segments }, (_, i) => i).filter((i) => i !== segment);
            const words = [
              ...segmentOf(segment, longest),
              ...others.flatMap((one) => segmentOf(one, one % 4)),
            ];
            const isFit = longest <= most;
            expect(await fits("u32", keysOf("u32", shuffled(words)))).toBe(isFit);
          }
        }
      });

      it("keeps equal keys in order in whole tiles, whatever shares a bin", async () => {
        const lows: Record<string, (i: number) => number> = {
          ascending: (i) => i << bits,
          descending: (i) => (most - i) << bits,
          "two values": (i) => (mix(i) & 1) << bits,
          "two bins": (i) => mix(i) & 0x8000_0000,
          "one value": () => 5 << bits,
          "all ones": () => 0xffff_ffff,
          "one key smaller": (i) => (i === most - 1 ? 0 : 5 << bits),
        };
        for (const low of Object.values(lows)) {
          const words = [3, 4, segments - 1].flatMap((segment) => segmentOf(segment, most, low));
          expect(await fits("u32", keysOf("u32", words))).toBe(true);
        }
      });

      // One level sorts keys of two words by the stable passes.
      it.runIf(second)("sorts keys of two words, of any range and by any bits", async () => {
        const count = 20 * tile - 37;
        const keysBetween = (type: Name, least: bigint, span: bigint) => {
          const array = new (elementType(type).array)(count) as BigUint64Array | BigInt64Array;
          for (let i = 0; i < count; i++) {
            const random = (BigInt(mix(i)) << 32n) | BigInt(mix(~i));
            // Some keys are those of others, so ties show their order.
            array[i] = i % 60 === 59 ? array[i - 7]! : least + ((random * span) >> 64n);
          }
          return array;
        };
        const spans = [1n << 63n, 3n << 60n, (3n << 41n) + 5n, 3n << 30n, 1n << 31n, 5000n];
        let fitting = 0;
        for (const span of isQuick ? spans : spans.slice(1, 4)) {
          const keys = keysBetween("u64", 1_700_000_000_000_000n, span);
          if (await fits("u64", keys, {}, { samples: 1024 })) fitting++;
          if (isQuick)
            await fits("i64", keysBetween("i64", -span / 3n, span), { descending: true, payload: 12 });
        }
        // Of some, the sample misses a key that is outside of its range.
        expect(fitting).toBeGreaterThan(isQuick ? 3 : 1);
        const keys = keysBetween("u64", 0n, 1n << 63n);
        await fits("u64", keys, { bits: { begin: 27, end: 63 } });
        await fits("u64", keys, { bits: { begin: 0, end: 61 }, payload: "index", keepInput: true });
      });

      if (!isQuick) return;

      it("sorts any distribution in both directions, with what moves with the keys", async () => {
        for (const [type, options] of [
          ["i32", { payload: "index", descending: true, keepInput: true }],
          ["i32", { payload: "index", descending: true, dropKeys: true }],
          ["u32", { payload: 12 }],
          ["u32", { dropKeys: true }],
          ...(second
            ? ([
                ["i64", { payload: "index" }],
                ["u64", { dropKeys: true }],
              ] as const)
            : []),
        ] as const) {
          for (const make of Object.values(distributions)) {
            await fits(type, make(elementType(type), 8 * tile), options);
          }
        }
      });

      it("sorts by some bits, and keeps keys in order that differ in others", async () => {
        for (const [type, keyBits] of [
          ["u32", { begin: 3, end: 32 }],
          ["i32", { begin: 1, end: 30 }],
        ] as const) {
          for (const dist of ["uniform", "few"]) {
            const keys = generateKeys(distribution(dist), elementType(type), 5 * tile, 3);
            await fits(type, keys, { bits: keyBits });
          }
        }
      });

      it.runIf(second)("sorts keys by their digits alone, in both directions", async () => {
        // A third of the keys are equal, more than fit a tile; and there are fewer values than segments.
        const some = Array.from({ length: 20 * tile }, (_, i) => (i % 3 === 0 ? -7 : (mix(i) % 100) - 50));
        for (const [type, options] of [
          ["i32", { payload: "index", descending: true, keepInput: true }],
          ["i32", { dropKeys: true }],
          ["i64", { payload: 12 }],
        ] as const) {
          const keys = type === "i64" ? BigInt64Array.from(some, BigInt) : Int32Array.from(some);
          expect(await fits(type, keys, options, { samples: 128 }), type).toBe(true);
        }
      });

      it.runIf(second)(
        "expects longer numbers below a gap where few samples are in the topmost quarter",
        async () => {
          const tailed = (random: number) => Math.floor(-(2 ** 12) * Math.log1p(-random));
          const inMiddle = (random: number) => Math.floor(12_000 + 8000 * random);
          const even = (random: number) => Math.floor(2 ** 15 * random);
          for (const lower of [tailed, inMiddle, even]) {
            const keys = BigUint64Array.from(
              { length: 20 * tile },
              (_, i) => (BigInt(mix(i) >>> 12) << 32n) | BigInt(lower(mix(~i) / 2 ** 32) % 2 ** 15),
            );
            keys[keys.length - 1]! |= 2n ** 15n; // is longer than all others, and the sample misses it
            for (const descending of [false, true]) {
              expect(await fits("u64", keys, { descending }, { samples: 512 }), lower.name).toBe(
                lower !== even,
              );
            }
          }
        },
      );

      it.each(second ? [{ samples: 512 }] : [{ samples: 256 }, { rangeSamples: 64 }])(
        "takes a sample first, and normalizes keys to its range: %o",
        async (look) => {
          const count = second ? 20 * tile : 8 * tile;
          // Ranges that begin anywhere, and a last tile that is not full.
          for (const [least, span] of [
            [1_000_000_000, 3 * 2 ** 28],
            [3, 3 * 2 ** 29],
            [2_345_678_901, 3 * 2 ** 18],
          ] as const) {
            const some = Array.from(
              { length: count - 37 },
              (_, i) => least + Math.floor((mix(i) / 2 ** 32) * span),
            );
            expect(await fits("u32", keysOf("u32", some), {}, look), `${span} from ${least}`).toBe(true);
          }
          // Of a range little above a power of two, segments fit only if keys are stretched.
          for (const [type, options] of [
            ["u32", {}],
            ["i32", { payload: "index", descending: true }],
            ...(second ? ([["u64", { payload: 8 }]] as const) : []),
          ] as const) {
            const some = Array.from({ length: 0.6 * tile * 2 ** bits }, (_, i) =>
              Math.floor((mix(i) / 2 ** 32) * 1.07 * 2 ** 26),
            );
            const keys =
              type === "u64" ? BigUint64Array.from(some, (key) => BigInt(key) << 13n) : keysOf(type, some);
            expect(await fits(type, keys, options, look), type).toBe(true);
          }
          for (const [dist, fit] of [
            ["uniform", true],
            ["shared-8", true],
            ["shared-16", true],
            ["low-byte", true],
            ["constant", second !== undefined],
          ] as const) {
            const keys = generateKeys(distribution(dist), elementType("u32"), count, 3);
            expect(await fits("u32", keys, {}, look), dist).toBe(fit);
            keys[count - 1] = 0x8000_0000; // shares no bits with the others, and the sample misses it
            if (dist.startsWith("shared")) expect(await fits("u32", keys, {}, look), dist).toBe(false);
          }
          for (const [type, options] of [
            ["u32", {}],
            ["i32", { payload: "index", descending: true }],
            ...(second ? ([["u64", {}]] as const) : []),
          ] as const) {
            const keys = keysOfQuarters(elementType(type), count, 0b1001);
            expect(await fits(type, keys, options, look), type).toBe(true);
            new Uint32Array(keys.buffer)[(count - 1) * elementType(type).words]! ^=
              1 << (type === "u64" ? 31 : 15);
            expect(await fits(type, keys, options, look), type).toBe(false);
          }
        },
      );
    },
  );
}
