import { expect, it } from "vitest";
import type { Gpu } from "../../src/core/device/gpu.js";
import { KernelCache } from "../../src/core/device/kernels.js";
import { runPlan } from "../../src/core/device/run.js";
import { elementType } from "../../src/core/elements.js";
import { provenTraits } from "../../src/core/engines/lockstep.js";
import { smallestSize, subgroupSizesPlan } from "../../src/core/sort/device_probes.js";
import { radixTuning } from "../../src/core/sort/radix/radix.js";
import { type SubgroupTuning, subgroupsFit } from "../../src/core/sort/radix/radix_tuning.js";
import {
  claimingGpu,
  type EmulatedSubgroups,
  emulatingGpu,
  plainSubgroups,
} from "../support/emulated_subgroups.js";
import { runFenced } from "../support/fenced.js";
import { distributions } from "../support/keys.js";
import { expectSorted } from "../support/radix_case.js";
import { smallMsd } from "../support/small_msd.js";
import { describeOnDevice, selector } from "./device.js";

/**
 * Kernels for subgroups of unknown size, on subgroups of all sizes. SwiftShader and lavapipe have narrow ones.
 * Others are emulated.
 */

const u32 = elementType("u32");

/** A tuning of few digits, for groups of a size. */
const groups = (size: number, some: Partial<SubgroupTuning> = {}): SubgroupTuning => ({
  family: "subgroup",
  digitBits: 4,
  workgroupSize: 128,
  subgroupSize: size,
  sizeVaries: true,
  keysPerInvocation: 2,
  columns: 2,
  lockstep: false,
  fusedScan: false,
  ...some,
});
const local = { workgroupSize: 128, keysPerInvocation: 2 };
const oneWorkgroup = {
  workgroupSize: 128,
  keysPerInvocation: 3,
  binBits: 8,
  rankBits: 6,
  maxBinKeys: 5,
} as const;

const keysOf = (count: number) => distributions["few values"]!(u32, count);

/** Sorts keys by each kernel that uses subgroups, stably if values move with them. */
async function sortByAll(gpu: Gpu, size: number): Promise<void> {
  const msd = (levels: Parameters<typeof smallMsd>[2]) =>
    smallMsd(size, 3, levels, { workgroupSize: 64, fusedScan: false, sizeVaries: true });
  for (const [tuning, count, payload] of [
    [groups(size), 700, "index"],
    [groups(size, { local }), 250, "index"],
    [groups(size, { oneWorkgroup }), 380, undefined],
    [msd({ digitBits: 4 }), 900, undefined],
    [msd({ digitBits: 4, second: { digitBits: 4, tilesPerChunk: 2 } }), 2000, undefined],
  ] as const) {
    const options = { descending: false, ...(payload ? { payload } : {}) };
    const one = { type: u32, keys: keysOf(count), options, traits: gpu.traits, tuning };
    await expectSorted((plan, inputs) => runFenced(gpu, plan, inputs), one);
  }
}

/** Moves keys with their indices by the kernel that ranks by ballots. */
async function rank(gpu: Gpu, size: number, some: Partial<SubgroupTuning> = {}): Promise<void> {
  const bits = { begin: 0, end: 4 };
  const options = { descending: false, payload: "index", bits } as const;
  const tuning = groups(size, some);
  const one = { type: u32, keys: keysOf(700), options, traits: gpu.traits, tuning };
  await expectSorted((plan, inputs) => runFenced(gpu, plan, inputs), one);
}

describeOnDevice(`kernels for subgroups of any size on ${selector}`, ({ gpu }) => {
  // Barriers make the emulation slow, and more so on lavapipe.
  const isFast = selector === "swiftshader";

  it.runIf(isFast).each([8, 32, 64])("sort in groups of %i on the device's own subgroups", async (size) => {
    await sortByAll(gpu, size);
  });

  // Lavapipe compiles slowly, so one kernel must do there.
  it("rank keys in groups of 32 on the device's own subgroups", async () => {
    await rank(gpu, 32);
  });

  it.runIf(isFast).each([
    [16, 32],
    [64, 32],
  ] as const)("sort on subgroups of %i in groups of %i", async (own, size) => {
    await sortByAll(emulatingGpu(gpu, plainSubgroups(own)), size);
  });

  it.runIf(isFast).each([
    [1, 32],
    [2, 64],
    [8, 8],
    [32, 32],
    [32, 64],
    [64, 8],
    [64, 64],
    [128, 64],
    [128, 32],
  ] as const)("rank keys on subgroups of %i in groups of %i", async (own, size) => {
    await rank(emulatingGpu(gpu, plainSubgroups(own)), size);
  });

  const odd: readonly (readonly [name: string, subgroups: EmulatedSubgroups])[] = [
    ["whose lanes are in reverse", { subgroup: "invocation / 32u", lane: "31u - invocation % 32u" }],
    ["that are interleaved", { subgroup: "invocation % 4u", lane: "invocation / 4u" }],
    [
      "of two sizes",
      {
        subgroup: "select(invocation / 8u, 100u + invocation / 32u, invocation < 64u)",
        lane: "invocation % select(8u, 32u, invocation < 64u)",
      },
    ],
    ["of three", { subgroup: "invocation / 3u", lane: "invocation % 3u" }],
  ];
  it.runIf(isFast).each(odd)("rank keys on subgroups %s", async (_, subgroups) => {
    await rank(emulatingGpu(gpu, subgroups), 32);
  });

  it.runIf(isFast)("are needed where subgroups have another size than is known", async () => {
    await expect(rank(gpu, 8, { sizeVaries: false })).rejects.toThrow();
    await rank(gpu, gpu.traits.subgroupSize.min, { sizeVaries: false });
  });

  const own = gpu.traits.subgroupSize.min;

  it.runIf(isFast)(
    "are taken where a device reports a range, in groups of the size that a test finds",
    async () => {
      const claiming = claimingGpu(gpu, 4, 128);
      expect(await provenTraits(claiming)).toEqual({ ...claiming.traits, testedSubgroupSize: own });
      // Where drivers choose another size for the sort than for the test, the groups are wider than subgroups.
      const traits = { ...claiming.traits, testedSubgroupSize: 32 };
      const keys = distributions.uniform!(u32, 3000);
      for (const payload of ["index", undefined] as const) {
        const tuning = radixTuning(keys.length, u32, traits, { once: true, ...(payload ? { payload } : {}) });
        expect(tuning).toMatchObject({ family: "subgroup", subgroupSize: 32, sizeVaries: true });
        const options = { descending: false, ...(payload ? { payload } : {}) };
        await expectSorted((plan, inputs) => runFenced(claiming, plan, inputs), {
          type: u32,
          keys,
          options,
          traits,
          tuning,
        });
      }
    },
  );

  it.runIf(isFast)("find the size of subgroups, and 1 where lanes are in no order", async () => {
    const found = async (subgroups: EmulatedSubgroups) =>
      smallestSize(await runPlan(emulatingGpu(gpu, subgroups), subgroupSizesPlan([2], 128), {}));
    for (const size of [1, 8, 32, 64]) expect(await found(plainSubgroups(size))).toBe(size);
    expect(await found(plainSubgroups(128))).toBe(64);
    for (const [name, subgroups] of odd) {
      expect(await found(subgroups), name).toBe(name === "of two sizes" ? 8 : 1);
    }
  });

  it.runIf(isFast)("are not taken where a device claims one size and has another", async () => {
    for (const size of [8, 32]) {
      const claiming = claimingGpu(gpu, size, size);
      expect(subgroupsFit(claiming.traits)).toBe(true);
      expect(await provenTraits(claiming)).toEqual({ ...claiming.traits, subgroups: false });
    }
  });

  it("ask for one size where a device lets them", async () => {
    const claiming = claimingGpu(gpu, own, 2 * own, true);
    const pinned = claiming.traits.subgroupSize;
    expect(pinned).toEqual({ min: 2 * own, max: 2 * own });
    const compiled = claiming.kernels.pipeline(subgroupSizesPlan().passes[0]!.program);
    // The device itself has only one size, which the message tells.
    await expect(compiled).rejects.toThrow(`subgroup_size attribute (${2 * own})`);
    const cache = new KernelCache(gpu.device, own);
    const { program } = subgroupSizesPlan().passes[0]!;
    // Devices allow only so many subgroups in a workgroup.
    const small = { ...program, constants: { ...program.constants, WORKGROUP_SIZE: 8 * own } };
    await expect(cache.pipeline(small)).resolves.toBeDefined();
    expect(await provenTraits(claiming)).toEqual({ ...claiming.traits, subgroups: false });
  });
});
