import { expect, it, vi } from "vitest";
import { Gpu } from "../../src/core/device/gpu.js";
import { elementType } from "../../src/core/elements.js";
import { GpuEngine } from "../../src/core/engines/gpu.js";
import { DeviceError, VerifyError } from "../../src/core/errors.js";
import { bindable, FEW_BYTES } from "../support/compact_case.js";
import { distinctKeys, expectFirstIndices, expectOutput } from "../support/expected_output.js";
import { faultyDevice } from "../support/faulty_device.js";
import { distributions } from "../support/keys.js";
import { describeOnDevice, fewerOnLavapipe, selector } from "./device.js";

// So small that a few thousand keys are selected, as hundreds of millions are.
vi.mock("../../src/core/sort/select/select_tuning.js", () => ({
  LEAST_KEYS: { hardware: 3000, hardwareSorting: 3000, software: 3000 },
  LEAST_REFINED_KEYS: 3000,
  LEAST_RATIO: 4,
  FIRST_KEYS: { least: 2 ** 31, most: 0 },
  SPARE_KEYS: 100,
  SAMPLES: { hardware: 256, software: 128 },
  REFINED_TILES: [64, 1024],
  MOST_REFINED_BY_ONE: 3500,
}));

/** For so few keys, a software adapter would choose another algorithm. */
const radix = { algorithm: "radix" };

describeOnDevice(`the first keys on ${selector}`, ({ gpu }) => {
  const engines = [
    new GpuEngine(gpu, selector),
    new GpuEngine(gpu, selector, bindable(gpu.traits, FEW_BYTES)),
  ];
  const inputs: typeof distributions = { ...distributions, distinct: distinctKeys };

  // Each width and each order. Lavapipe takes ten seconds to compile the kernels of a type.
  const types = selector === "llvmpipe" ? ["i32", "f64"] : ["u32", "f32", "i64", "f64"];
  it.each(types)("are those of all %s keys, sorted", async (name) => {
    const type = elementType(name);
    const algorithms = new Set<string>();
    for (const [i, engine] of engines.entries()) {
      for (const distribution of ["uniform", "specials", "few values", "distinct", "constant"]) {
        for (const size of [2999, 3000, 12_000]) {
          const keys = inputs[distribution]!(type, size);
          for (const head of [1, 129, Math.floor(size / 4), Math.ceil(size / 4) + 1]) {
            const descending = (head + i) % 2 === 1;
            const verify = size > 3000;
            const report = await expectOutput(
              engine,
              type,
              keys,
              { ...radix, head, descending, verify },
              distribution,
            );
            algorithms.add(report.algorithm);
            if (distribution === "distinct") {
              const selects = size >= 3000 && 4 * head <= size;
              expect(report.algorithm === "radix select", `${size} ${head}`).toBe(selects);
            }
          }
        }
      }
    }
    expect(algorithms).toEqual(new Set(["radix", "radix select", "none (already in order)"]));
  });

  it.each(fewerOnLavapipe(types, ["f32"]))("are found as indices of %s keys, stably", async (name) => {
    const type = elementType(name);
    const algorithms = new Set<string>();
    for (const [i, engine] of engines.entries()) {
      for (const distribution of ["uniform", "specials", "few values", "distinct"]) {
        for (const head of [1, 700]) {
          const descending = (head + i) % 2 === 1;
          const bits = distribution === "distinct" ? { begin: 3, end: 8 * type.bytes - 1 } : undefined;
          for (const verify of [true, false]) {
            const job = { ...radix, head, descending, bits, verify };
            const keys = inputs[distribution]!(type, 4000);
            algorithms.add((await expectFirstIndices(engine, type, keys, job, distribution)).algorithm);
          }
        }
      }
    }
    expect(algorithms).toContain("radix select");
  });

  const type = elementType("u32");
  const keys = distributions.uniform!(type, 4000);
  const selecting = (
    ...faults: Parameters<typeof faultyDevice> extends [unknown, ...infer F] ? F : never
  ) => {
    const faulty = faultyDevice(gpu.device, ...faults);
    const failure = expectOutput(new GpuEngine(new Gpu(faulty.device), "a faulty device"), type, keys, {
      ...radix,
      head: 50,
    }).then(
      () => undefined,
      (error: unknown) => error,
    );
    return { failure, faulty };
  };

  it.each(["lost", "out of memory"] as const)(
    "are not written if the device is %s at any call",
    async (kind) => {
      const { failure, faulty } = selecting();
      expect(await failure).toBeUndefined();
      expect(faulty.calls.length).toBeGreaterThan(30);
      // Each sort takes a while, so each kind is tried at every sixth call.
      for (let at = kind === "lost" ? 0 : 3; at < faulty.calls.length; at += 6) {
        expect(await selecting({ kind, at }).failure, `call ${at}, ${faulty.calls[at]}`).toBeInstanceOf(
          DeviceError,
        );
      }
    },
  );

  it("are not written if the device counts keys wrongly, or if a bit flips on the way", async () => {
    const { failure: none, faulty } = selecting(undefined, (_, label) => labels.push(label));
    const labels: string[] = [];
    expect(await none).toBeUndefined();
    expect(faulty.calls).not.toHaveLength(0);
    expect(labels.filter((label) => label === "readback")).toHaveLength(1);
    for (let one = 0; one < labels.length; one++) {
      if (labels[one] === "") continue; // the timestamps
      let seen = 0;
      const { failure } = selecting(undefined, (window) => {
        if (seen++ === one) for (let at = 0; at < window.length; at += 4) window[at]! ^= 1;
      });
      expect(await failure, `${one}: ${labels[one]}`).toBeInstanceOf(VerifyError);
    }
  });
});
