import { execFileSync, spawnSync } from "node:child_process";
import {
  lstatSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { elementType } from "../../src/core/elements.js";
import { CpuEngine } from "../../src/core/engines/cpu.js";
import { DeviceError } from "../../src/core/errors.js";
import { autoChoice } from "../../src/profile/auto.js";
import { type CurvePoint, predictSeconds } from "../../src/profile/curve.js";
import { machineKey } from "../../src/profile/machine.js";
import { measureMachine, measureType } from "../../src/profile/measure.js";
import { FEW_KEYS, type OpenFastestOptions, openFastest } from "../../src/profile/open.js";
import { forecast, forecastCrossover } from "../../src/profile/profile.js";
import type { Profile } from "../../src/profile/schema.js";
import { loadProfile, profilePath, saveProfile } from "../../src/profile/store.js";
import { HANG_MS } from "../support/hang_limit.js";
import { needs } from "../support/needs.js";
import { giveAway, mayGiveAway } from "../support/other_user.js";

const linux = needs(process.platform === "linux", "Linux");

const profile: Profile = {
  schema: "gpusort-profile/2",
  measuredAt: new Date(Date.UTC(2026, 0, 1)).toISOString(),
  machine: "some machine",
  adapter: "Some GPU",
  openSeconds: 0.2,
  types: {
    u32: {
      cpu: [
        [4096, 0.0004],
        [262_144, 0.02],
      ],
      gpu: [
        [4096, 0.001],
        [1_048_576, 0.003],
      ],
      firstSeconds: 0.1,
    },
  },
};

describe("the time that a curve predicts", () => {
  const curve: CurvePoint[] = [
    [1000, 0.001],
    [10_000, 0.02],
    [100_000, 0.3],
  ];

  it("is the measured one at a measured size, and the first one below all sizes", () => {
    for (const [n, seconds] of curve) expect(predictSeconds(curve, n)).toBeCloseTo(seconds, 12);
    expect(predictSeconds(curve, 1)).toBe(0.001);
  });

  it("is interpolated linearly in the logarithms between two sizes", () => {
    expect(predictSeconds(curve, Math.sqrt(1000 * 10_000))).toBeCloseTo(Math.sqrt(0.001 * 0.02), 12);
  });

  it("grows beyond the last size by the time per key", () => {
    expect(predictSeconds(curve, 200_000)).toBeCloseTo(0.3 + 100_000 * (0.28 / 90_000), 9);
    expect(predictSeconds([[5, 7]], 10)).toBeCloseTo(14, 9);
  });

  it("never falls if the curve rises", () => {
    const size = fc.integer({ min: 1, max: 2 ** 32 - 1 });
    fc.assert(
      fc.property(size, size, (a, b) => {
        const [less, more] = [Math.min(a, b), Math.max(a, b)];
        expect(predictSeconds(curve, less)).toBeLessThanOrEqual(predictSeconds(curve, more));
      }),
    );
  });
});

describe("a profile", () => {
  const times = { ...profile.types.u32!, openSeconds: profile.openSeconds };

  it("predicts the CPU's time, and the GPU's including its opening and first sort", () => {
    expect(forecast(times, 4096).cpuSeconds).toBeCloseTo(0.0004);
    expect(forecast(times, 4096).gpuSeconds).toBeCloseTo(0.2 + 0.1 + 0.001);
  });

  it("has its crossover at the first size at which the GPU is faster", () => {
    const crossover = forecastCrossover(times)!;
    const [at, before] = [crossover, crossover - 1].map((n) => forecast(times, n));
    expect(at!.gpuSeconds).toBeLessThan(at!.cpuSeconds);
    expect(before!.gpuSeconds).toBeGreaterThanOrEqual(before!.cpuSeconds);
    expect(forecastCrossover({ ...times, openSeconds: 1e9 })).toBeUndefined();
  });

  it("is measured with both engines, at sizes within their capacity", async () => {
    const cpu = new CpuEngine();
    const small = Object.assign(new CpuEngine(), { capacity: () => 1_100_000 });
    const measured = await measureType(cpu, small, elementType("f64"));
    expect(measured.gpu.map(([n]) => n)).toEqual([2 ** 18, 2 ** 20]);
    expect(measured.cpu.map(([n]) => n).slice(0, 2)).toEqual([2 ** 18, 2 ** 20]);
    const tiny = Object.assign(new CpuEngine(), { capacity: () => 1000 });
    expect((await measureType(cpu, tiny, elementType("u32"))).gpu.map(([n]) => n)).toEqual([1000]);
    for (const [, seconds] of [...measured.cpu, ...measured.gpu]) expect(seconds).toBeGreaterThan(0);
    expect(measured.firstSeconds).toBeGreaterThanOrEqual(0);
  });
});

/** A profile in which some times are replaced, and "X" by this text of a number. */
function hostile(times: object, number = ""): string {
  const types = { u32: { ...profile.types.u32, ...times } };
  return JSON.stringify({ ...profile, types }).replace('"X"', number);
}

describe("the cache", () => {
  const cache = mkdtempSync(join(tmpdir(), "gpusort-"));
  const before = process.env.XDG_CACHE_HOME;
  beforeAll(() => {
    process.env.XDG_CACHE_HOME = cache;
  });
  afterAll(() => {
    if (before === undefined) delete process.env.XDG_CACHE_HOME;
    else process.env.XDG_CACHE_HOME = before;
    rmSync(cache, { recursive: true });
  });
  const now = Date.parse(profile.measuredAt) + 1000;
  const path = () => profilePath(profile.machine);

  it("returns a saved profile for the same machine, and leaves no other files behind", async () => {
    expect(await loadProfile(profile.machine, now)).toBeUndefined();
    expect(await saveProfile(profile)).toBe(true);
    expect(await loadProfile(profile.machine, now)).toEqual(profile);
    expect(await loadProfile("another machine", now)).toBeUndefined();
    expect(readdirSync(dirname(await path()))).toHaveLength(1);
  });

  it("ignores profiles that are older than a month, or from the future", async () => {
    const day = 24 * 3600 * 1000;
    expect(await loadProfile(profile.machine, now + 29 * day)).toBeDefined();
    expect(await loadProfile(profile.machine, now + 31 * day)).toBeUndefined();
    expect(await loadProfile(profile.machine, now - day)).toBeUndefined();
  });

  const damaged = [
    "",
    "{",
    "null",
    "{}",
    JSON.stringify({ ...profile, schema: "gpusort-profile/1" }),
    JSON.stringify({ ...profile, types: { u32: { cpu: [], gpu: [[1, 1]], firstSeconds: 0 } } }),
    JSON.stringify({ ...profile, types: { u32: { cpu: [[1, 0]], gpu: [[1, 1]], firstSeconds: 0 } } }),
    JSON.stringify({ ...profile, openSeconds: null, types: { u32: {} } }),
    ...["1e999", "-1", "NaN", '"1"'].flatMap((number) => [
      JSON.stringify({ ...profile, openSeconds: "X" }).replace('"X"', number),
      hostile({ cpu: [["X", 1]] }, number),
      hostile({ gpu: [[1, "X"]] }, number),
      hostile({ firstSeconds: "X" }, number),
    ]),
    hostile({
      gpu: [
        [9, 1],
        [9, 2],
      ],
    }),
    hostile({
      cpu: [
        [9, 1],
        [5, 2],
      ],
    }),
    JSON.stringify({ ...profile, measuredAt: "(\u001b[2J) 1 Jan 2026" }),
    `{"__proto__": ${JSON.stringify(profile)}}`,
    "[".repeat(60_000),
  ];

  it.each(damaged.map((text) => [text.slice(0, 300), text]))(
    "ignores a damaged file: %s",
    async (_, text) => {
      await saveProfile(profile);
      writeFileSync(await path(), text);
      expect(await loadProfile(profile.machine, now)).toBeUndefined();
    },
  );

  it("causes no error if it cannot be written", async () => {
    process.env.XDG_CACHE_HOME = join(await path(), "below-a-file");
    expect(await saveProfile(profile)).toBe(false);
    process.env.XDG_CACHE_HOME = cache;
    expect(readFileSync(await path(), "utf8").length).toBeGreaterThan(0);
  });

  linux.it(
    "has nothing to read where there is no regular file of this user, and waits for none",
    async () => {
      await saveProfile(profile);
      const text = readFileSync(await path(), "utf8");
      const replacements: (() => Promise<void>)[] = [
        async () => void execFileSync("mkfifo", [await path()]),
        async () => symlinkSync("/dev/zero", await path()),
        async () => {
          writeFileSync(`${await path()}-real`, text, { mode: 0o600 });
          symlinkSync(`${await path()}-real`, await path());
        },
        async () => writeFileSync(await path(), text.padEnd(70_000), { mode: 0o600 }),
      ];
      if (mayGiveAway) {
        replacements.push(async () => {
          writeFileSync(await path(), text, { mode: 0o600 });
          giveAway(await path());
        });
      }
      for (const replace of replacements) {
        rmSync(await path());
        await replace();
        expect(await loadProfile(profile.machine, now)).toBeUndefined();
        expect(await saveProfile(profile)).toBe(true); // and the next process finds a profile
        expect(await loadProfile(profile.machine, now)).toEqual(profile);
        expect(lstatSync(await path()).mode & 0o777).toBe(0o600);
      }
    },
  );

  linux.it("cannot be written below /proc, which ends at once", () => {
    const script = `import(${JSON.stringify(resolve("dist/profile/store.js"))})
      .then((store) => store.saveProfile(${JSON.stringify(profile)})).then((saved) => console.log(saved))`;
    for (const env of [{ HOME: "/proc/nope", XDG_CACHE_HOME: "" }, { XDG_CACHE_HOME: "/proc/nope" }]) {
      const options = { env: { ...process.env, ...env }, encoding: "utf8", timeout: HANG_MS } as const;
      const { stdout, signal } = spawnSync(process.execPath, ["-e", script], {
        ...options,
        killSignal: "SIGKILL",
      });
      expect([stdout, signal]).toEqual(["false\n", null]);
    }
  });

  it("is in the temporary folder, in a folder of this user, if there is no home, or a relative one", async () => {
    const before = process.env.TMPDIR;
    process.env.TMPDIR = cache;
    process.env.XDG_CACHE_HOME = "relative";
    expect(await path()).toMatch(join(cache, `gpusort-${process.getuid?.() ?? "cache"}`, "profile-"));
    expect(await saveProfile(profile)).toBe(true);
    expect(statSync(dirname(await path())).mode & 0o777).toBe(0o700);
    process.env.XDG_CACHE_HOME = cache;
    if (before === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = before;
  });

  const u32 = elementType("u32");
  const many = { type: u32, keyCount: FEW_KEYS, algorithm: "auto" };
  const failing = (problem: string) => async (selector: string) => {
    if (selector !== "cpu") throw new DeviceError(problem);
    return undefined;
  };
  const noGpu = failing("none works");
  const withGpu: OpenFastestOptions = { mayHaveGpu: () => true, openDevice: noGpu };

  it.each<[string, object, OpenFastestOptions, object]>([
    ["few keys", { keyCount: FEW_KEYS - 1 }, withGpu, { reason: "few keys", keyCount: FEW_KEYS - 1 }],
    ["an unknown number of keys", { keyCount: undefined }, withGpu, { reason: "unknown" }],
    ["a machine without a GPU", {}, { mayHaveGpu: () => false }, { reason: "no GPU" }],
    ["an estimate for the CPU", {}, withGpu, { reason: "estimate", type: "u32" }],
    ["records, as keys of 64 bits", { type: undefined }, withGpu, { reason: "estimate", type: "u64" }],
    ["a GPU that does not open", { keyCount: 1e12 }, withGpu, { reason: "no GPU", problem: "none works" }],
  ])("does not need a GPU for %s", async (_, task, options, choice) => {
    rmSync(cache, { recursive: true, force: true });
    const opened = await openFastest("auto", { ...many, ...task }, options);
    expect(opened).toMatchObject({ choice, engine: { device: "CPU" } });
    opened.engine.close();
  });

  it("decides, where the machine was measured, for the device that is faster by its figures", async () => {
    const measuredAt = new Date().toISOString();
    const own = { ...profile, machine: machineKey(), measuredAt };
    const fast = { ...profile.types.u32!, gpu: [[1, 1e-9]] as const };
    const slow = { ...profile.types.u32!, gpu: [[1, 1000]] as const };
    const openDevice = failing("the GPU was chosen");
    const choose = async (types: Profile["types"], adapter: string | null = "Some GPU", threads?: number) => {
      await saveProfile({ ...own, adapter, types });
      return openFastest("auto", { ...many, keyCount: 2 ** 23 }, { ...withGpu, openDevice, threads });
    };
    expect((await choose({ u32: slow })).choice).toMatchObject({
      reason: "forecast",
      crossover: undefined,
      adapter: "Some GPU",
      measuredAt,
    });
    expect((await choose({ u32: fast })).choice).toMatchObject({ problem: "the GPU was chosen" });
    expect((await choose({ u32: fast }, null)).choice).toEqual({ reason: "no GPU" });
    expect((await choose({ f32: fast })).choice).toMatchObject({ reason: "estimate" });
    // The figures are those of all cores. With fewer threads the CPU is slower.
    const even = { ...profile.types.u32!, gpu: [[2 ** 23, 0.35]] as const, cpu: [[2 ** 23, 0.651]] as const };
    expect((await choose({ u32: even })).choice).toMatchObject({ problem: "the GPU was chosen" });
    const cores = availableParallelism();
    expect((await choose({ u32: even }, "Some GPU", 2 * cores)).choice).toMatchObject({ reason: "forecast" });
  });

  it("is measured without an error, and without a time, where no GPU opens", async () => {
    rmSync(cache, { recursive: true, force: true });
    const { profile: measured, saved } = await measureMachine([u32], noGpu);
    expect([measured.adapter, measured.types, saved]).toEqual([null, {}, true]);
    expect(await loadProfile(machineKey())).toEqual(measured);
    const tomorrow = Date.now() + 25 * 3600 * 1000;
    expect(await loadProfile(machineKey(), tomorrow), "the GPU may have been busy").toBeUndefined();
  });

  it("keeps the times of a GPU that does not open at the moment", async () => {
    const own = { ...profile, machine: machineKey(), measuredAt: new Date().toISOString() };
    await saveProfile(own);
    expect((await measureMachine([u32], noGpu)).profile).toEqual(own);
    expect(await loadProfile(machineKey())).toEqual(own);
  });

  it("is not needed if the caller names a device", async () => {
    const asked = await openFastest("cpu", many);
    expect(asked).toMatchObject({ choice: { reason: "asked" }, engine: { device: "CPU" } });
  });

  it("reports each step that takes a while, before it begins", async () => {
    const steps: string[] = [];
    const options = { ...withGpu, onStep: (step: string) => steps.push(step) };
    rmSync(cache, { recursive: true, force: true });
    for (const keyCount of [100, undefined, 1e12]) await openFastest("auto", { ...many, keyCount }, options);
    expect(steps).toEqual(["opening a GPU"]);
    await openFastest("gpu", many, options).catch(() => {});
    await openFastest("llvmpipe", many, options).catch(() => {});
    expect(steps.slice(1)).toEqual(["opening a GPU", "opening llvmpipe"]);
  });

  it("tells what auto would choose, and measures nothing for that", async () => {
    rmSync(cache, { recursive: true, force: true });
    const unmeasured = { mayHaveGpu: true, cpuBelowKeys: FEW_KEYS, measured: undefined };
    expect(await autoChoice(() => true)).toEqual(unmeasured);
    expect(await autoChoice(() => false)).toEqual({ ...unmeasured, mayHaveGpu: false });
    const measuredAt = new Date().toISOString();
    const slow = { ...profile.types.u32!, gpu: [[1, 1000]] as const };
    const fast = { ...profile.types.u32!, gpu: [[1, 1e-9]] as const, firstSeconds: 0 };
    const types = { i64: slow, f32: { ...fast, cpu: [[1, 10]] as const } };
    await saveProfile({ ...profile, machine: machineKey(), measuredAt, types });
    expect(await autoChoice(() => true)).toMatchObject({
      measured: { adapter: profile.adapter, at: measuredAt, adapterFromKeys: { i64: null, f32: FEW_KEYS } },
    });
  });
});
