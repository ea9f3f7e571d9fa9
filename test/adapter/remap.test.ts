import { expect, it } from "vitest";
import { elementType, type KeyArray } from "../../src/core/elements.js";
import type { SortOptions } from "../../src/core/sort/key.js";
import { radixPlan } from "../../src/core/sort/radix/radix.js";
import { distribution, generateKeys } from "../../src/testdata/distributions.js";
import { runOnCpu } from "../support/cpu_kernels/run.js";
import { movesKeys, Status } from "../support/cpu_kernels/status.js";
import { runFenced } from "../support/fenced.js";
import { wordsOfKeys } from "../support/keys.js";
import { expectSorted } from "../support/radix_case.js";
import { smallRemap } from "../support/small_msd.js";
import { describeOnSubgroups, fewerOnLavapipe, selector, UP_TO_16 } from "./device.js";

type Name = "f32" | "f64";

describeOnSubgroups(
  UP_TO_16,
  `a sort by MSD that spreads floats, on ${selector}`,
  ({ gpu }, subgroupSize) => {
    const tuning = smallRemap(subgroupSize);
    const names: readonly Name[] = fewerOnLavapipe(["f32", "f64"], ["f64"]);

    /**
     * Sorts and checks keys. Returns whether the segments fit, whether keys were spread, the long segments, and
     * the chunks of the second level: none if a sample shows that segments will not fit.
     */
    const sort = async (name: Name, keys: KeyArray, some: Partial<SortOptions> = {}) => {
      const type = elementType(name);
      const options = { descending: false, ...some };
      const one = { type, keys, options, traits: gpu.traits, tuning };
      const output = await expectSorted((plan, inputs) => runFenced(gpu, plan, inputs), one);
      return {
        fits: movesKeys(output.status![0]!),
        isRemapped: output.status![0] === Status.REMAPPED,
        movesDecimals: output.status![0] === Status.DECIMALS,
        differing: output.status!.slice(1, 3),
        power: output.status![4],
        long: output.long_segments![0]!,
        chunks: output.chunk_list![0]!,
      };
    };
    /** Few combinations of options, as each has kernels of its own. */
    const moving: Partial<SortOptions>[] = [
      { payload: "index" },
      { payload: 4, descending: true, keepInput: true },
    ];
    const keysOf = (name: Name, dist: string, count: number, seed = 3) =>
      generateKeys(distribution(dist), elementType(name), count, seed);

    it("sorts floats whose exponents are alike, in both directions", async () => {
      for (const name of names) {
        for (const dist of ["unit", "normal", "exponential", "log-normal"]) {
          for (const descending of [false, true]) {
            const found = await sort(name, keysOf(name, dist, 9000), { descending, keepInput: descending });
            expect(found, `${name} ${dist}`).toMatchObject({ fits: true, isRemapped: true });
          }
        }
      }
    });

    it("moves values with floats of two words, equal ones in the order of the input", async () => {
      const rounded = (dist: string, count = 9000) =>
        (keysOf("f64", dist, count) as Float64Array).map((key) => Math.round(1000 * key) / 1000);
      for (const dist of ["unit", "normal", "exponential"]) {
        for (const options of moving) {
          const found = await sort("f64", rounded(dist), options);
          expect(found, `${dist} ${JSON.stringify(options)}`).toMatchObject({ isRemapped: true });
        }
      }
      const some = await sort("f64", keysOf("f64", "unit", 256 * 76), moving[1]);
      expect(some.long).toBeGreaterThan(0);
      const inRange = rounded("unit").map((key) => 100 + 30 * key);
      expect(await sort("f64", inRange, moving[1])).toMatchObject({ fits: true, isRemapped: false });
      for (const dist of ["half-equal", "few"]) {
        const found = await sort("f64", keysOf("f64", dist, 9000), moving[1]);
        expect(found, dist).toMatchObject({ fits: false });
      }
    });

    it("leaves NaNs with values to the stable passes, which keep them in the order of the input", async () => {
      const nans = [
        [0, 0x7ff8_0000],
        [0, 0xfff8_0000],
        [1, 0x7ff0_0000],
      ];
      for (const nan of nans) {
        const keys = keysOf("f64", "normal", 9000);
        new Uint32Array(keys.buffer).set(nan, 1800);
        for (const options of moving) expect(await sort("f64", keys, options)).toMatchObject({ fits: false });
      }
    });

    it("leaves floats as they are whose topmost digits differ", async () => {
      for (const name of names) {
        const found = await sort(name, keysOf(name, "uniform", 9000));
        expect(found).toEqual({
          fits: true,
          isRemapped: false,
          movesDecimals: false,
          differing: expect.anything(),
          power: expect.any(Number),
          long: 0,
          chunks: expect.any(Number),
        });
      }
    });

    it("sorts segments that are too long for the first tile by a longer one, and gives up longer ones", async () => {
      for (const name of names) {
        const some = await sort(name, keysOf(name, "unit", 256 * 76));
        expect(some).toMatchObject({ fits: true, isRemapped: true });
        expect(some.long).toBeGreaterThan(0);
        expect(some.long).toBeLessThan(256);
        expect(await sort(name, keysOf(name, "unit", 256 * 76, 5), { descending: true })).toMatchObject({
          fits: true,
        });
        expect(await sort(name, keysOf(name, "unit", 256 * 176))).toMatchObject({ fits: false });
      }
    });

    it("sorts floats of a range that ends within a region", async () => {
      for (const name of names) {
        for (const [first, range] of [
          [-180, 360],
          [0, 360],
          [-90, 180],
          [0, 130],
          [-65, 130],
        ] as const) {
          const keys = (keysOf(name, "unit", 256 * 60) as Float64Array).map((key) => first + range * key);
          expect(await sort(name, keys), `${name} from ${first}`).toMatchObject({ isRemapped: true });
        }
      }
    });

    it("gives up keys of which many are equal", async () => {
      for (const name of names) {
        for (const dist of ["half-equal", "zipf", "nan-laced"]) {
          const found = await sort(name, keysOf(name, dist, 9000));
          if (dist !== "nan-laced") expect(found, dist).toMatchObject({ fits: false, isRemapped: false });
        }
      }
    });

    it("moves no keys by codes if a sample shows more equal ones than fit their tiles", async () => {
      // A tile has 192 keys. Segments have 140 on average, so those of 400 values are hardly less even.
      const count = 256 * 140;
      for (const name of names) {
        const keys = keysOf(name, "unit", count) as Float64Array;
        const ofValues = (values: number) => keys.map((key) => (1 + Math.floor(values * key)) / 1000);
        const found = await sort(name, ofValues(400));
        expect(found, name).toMatchObject({ fits: false, chunks: 0 });
        expect((await sort(name, ofValues(4000))).chunks, name).toBeGreaterThan(0);
      }
    });

    /** Decimals of some places, of which a third is equal; half of the others are negative if they are signed. */
    const decimals = (places: number, count: number, isSigned: boolean, most = 4000) =>
      (keysOf("f64", "unit", count, places) as Float64Array).map((key, i) => {
        const whole = i % 3 === 0 ? 7 : Math.floor(most * key);
        return (isSigned && i % 2 === 0 ? -whole : whole) / 10 ** places;
      });

    it("moves decimals of which many are equal as whole numbers", async () => {
      for (const [places, options] of [
        [0, {}],
        [1, { descending: true }],
        [2, moving[0]!],
        [3, { payload: 4, descending: true }],
        [0, { payload: "index", dropKeys: true }],
      ] as const) {
        const found = await sort("f64", decimals(places, 9000, places % 2 === 1), options);
        expect(found, `${places}`).toMatchObject({ movesDecimals: true, chunks: 0 });
        // No keys differ in the upper halves of the whole numbers, and of the words.
        expect(found.differing[0]! >>> 16, `${places}`).toBe(0);
        expect(found.differing[1], `${places}`).toBe(0);
      }
      const large = await sort("f64", decimals(2, 60_000, true, 2 ** 28));
      expect(large).toMatchObject({ movesDecimals: true });
      const zeros = decimals(1, 9000, true, 3).map((key, i) => (i % 5 === 0 ? -0 : key));
      expect(await sort("f64", zeros, moving[0]!)).toMatchObject({ movesDecimals: true });
    });

    it("chooses the same whole numbers as the CPU kernels", async () => {
      const mixed = decimals(1, 9000, false).map((key, i) => (i % 2000 === 3 ? 0.25 : key));
      for (const keys of [decimals(0, 9000, false), decimals(3, 9000, true), mixed]) {
        const plan = radixPlan(keys.length, elementType("f64"), { descending: false }, gpu.traits, tuning);
        const output = await runFenced(gpu, plan, { keys: wordsOfKeys(keys) });
        const expected = runOnCpu(plan, { keys: wordsOfKeys(keys) });
        expect(output.status!.subarray(0, 3)).toEqual(expected.status!.subarray(0, 3));
        expect(output.status!.subarray(4, 8)).toEqual(expected.status!.subarray(4, 8));
      }
    });

    it("moves keys as they are if one of them is no decimal", async () => {
      for (const other of [1 / 3, 0.0001, 2 ** 30, -(2 ** 29), NaN, -1 / 0, 5e-324, 0.1 + 0.2]) {
        for (const options of [{}, { descending: true }, moving[0]!]) {
          const keys = decimals(1, 9000, false);
          keys[1803] = other;
          const found = await sort("f64", keys, options);
          // The samples were all decimals of one place.
          expect(found, `${other}`).toMatchObject({ fits: false, movesDecimals: false, power: 10 });
        }
      }
    });

    it("keeps zeros, NaNs and floats of the largest and the smallest exponents in their places", async () => {
      for (const name of names) {
        for (const descending of [false, true]) {
          const keys = keysOf(name, "normal", 9000, 7) as Float32Array | Float64Array;
          const extremes = [
            0,
            -0,
            1 / 0,
            -1 / 0,
            5e-324,
            -5e-324,
            1.7e308,
            -1.7e308,
            1e-45,
            -1e-45,
            3e38,
            1e39,
            -1e-39,
          ];
          for (let i = 0; i < 8 * extremes.length; i++) keys[i * 61] = extremes[i % extremes.length]!;
          const words = new Uint32Array(keys.buffer);
          const top = name === "f64" ? 1 : 0;
          for (const [i, word] of [0x7fff_ffff, 0xffff_ffff, 0x7ff0_0001, 0xfff8_0000].entries()) {
            words[(1000 + i) * (top + 1) + top] = word;
          }
          expect(await sort(name, keys, { descending })).toMatchObject({ fits: true, isRemapped: true });
        }
      }
    });

    it("makes the tables that the CPU kernels make", async () => {
      for (const name of names) {
        const type = elementType(name);
        const keys = keysOf(name, "normal", 9000);
        const plan = radixPlan(keys.length, type, { descending: false }, gpu.traits, tuning);
        const output = await runFenced(gpu, plan, { keys: wordsOfKeys(keys) });
        const expected = runOnCpu(plan, { keys: wordsOfKeys(keys) });
        expect(output.remap_counts).toEqual(expected.remap_counts);
        expect([output.status![0], expected.status![0]]).toEqual([Status.REMAPPED, Status.REMAPPED]);
        // Each region has the codes after those of the one before, and the last one the last. The kernels
        // round to floats of 32 bits.
        let end = 0;
        output.status!.subarray(4).forEach((entry, region) => {
          expect(entry >>> 16, `${region}`).toBe(end);
          expect(Math.abs(end - (expected.status![4 + region]! >>> 16)), `${region}`).toBeLessThan(2);
          end += entry & 0xffff;
        });
        expect(end).toBe(2 ** 16);
      }
    });
  },
);
