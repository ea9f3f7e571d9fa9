import { expect, it } from "vitest";
import { elementType, elementTypes, type KeyArray } from "../../src/core/elements.js";
import { GpuEngine } from "../../src/core/engines/gpu.js";
import { bindable, FEW_BYTES } from "../support/compact_case.js";
import { describeEngine } from "../support/engine_conformance.js";
import { describeSelection, distinctKeys, expectOutput } from "../support/expected_output.js";
import { distributions } from "../support/keys.js";
import { runLengths } from "../support/unique_case.js";
import { describeOnDevice, fewerOnLavapipe, selector } from "./device.js";

describeOnDevice(`the engine on ${selector}`, ({ gpu }) => {
  const engine = new GpuEngine(gpu, selector);
  const types = fewerOnLavapipe(elementTypes, ["u16", "f64"].map(elementType));
  describeEngine(engine, [0, 1, 2, 127, 129, 5000], 30, types);
  // Each width, each order, and each format of floats: their kernels differ in numbers alone.
  const wanted = ["i8", "u16", "f16", "f32", "u64", "f64"].map(elementType);
  describeSelection(engine, [1, 4999], 2, fewerOnLavapipe(wanted, types));

  it("counts equal keys, also in several windows", async () => {
    const windowed = new GpuEngine(gpu, selector, bindable(gpu.traits, FEW_BYTES));
    for (const [name, size, isDescending] of [
      ["u16", 20_011, false],
      ["f32", 20_011, true],
      ["u64", 9001, false],
    ] as const) {
      const type = elementType(name);
      for (const [distribution, make] of Object.entries({ ...distributions, distinct: distinctKeys })) {
        if (!["few values", "specials", "constant", "uniform", "distinct"].includes(distribution)) continue;
        const keys = make(type, size);
        for (const descending of fewerOnLavapipe([false, true], [isDescending])) {
          await expectOutput(windowed, type, keys, { unique: "counts", descending }, distribution);
        }
      }
    }
  });

  it("counts the keys of runs that end at the borders of tiles, chunks and windows", async () => {
    const type = elementType("u32");
    const engines = [engine, new GpuEngine(gpu, selector, bindable(gpu.traits, FEW_BYTES))];
    for (const lengths of Object.values(runLengths)) {
      for (const size of fewerOnLavapipe([1793, 4096, 9216, 20_011, 70_000], [9216, 20_011])) {
        const keys = Uint32Array.from(lengths(size).flatMap((length, i) => new Array(length).fill(3 * i)));
        for (const engine of engines) await expectOutput(engine, type, keys, { unique: "counts" });
      }
    }
  });

  it("reads back only distinct keys and their counts, and no counts if all keys are distinct", async () => {
    const type = elementType("u32");
    for (const [values, bytes] of [
      [9, 9 * 8],
      [4999, 4999 * 8],
      [5000, 5000 * 4],
    ] as const) {
      const keys = new Uint32Array(5000).map((_, i) => (i * 7919) % values);
      const { phases } = await expectOutput(engine, type, keys, { unique: "counts" });
      expect(phases.find(({ name }) => name === "readback")?.bytes, `${values}`).toBe(bytes);
    }
  });

  const sort = (keys: KeyArray, verify: boolean) => {
    const bytes = new Uint8Array(keys.buffer as ArrayBuffer);
    const job = {
      type: elementType("u32"),
      keyCount: keys.length,
      descending: false,
      algorithm: "radix",
      verify,
    };
    return engine.sort(
      job,
      { read: async (into, offset) => into.set(bytes.subarray(offset, offset + into.length)) },
      { write: async () => {}, end: async () => {} },
    );
  };

  it("does not sort keys that an inspection finds in order, and reports that", async () => {
    const inOrder = new Uint32Array(70_000).map((_, i) => i >> 1);
    expect((await sort(inOrder, true)).algorithm).toBe("none (already in order)");
    expect((await sort(inOrder, false)).algorithm).toBe("radix");
    [inOrder[4998], inOrder[4996]] = [inOrder[4996]!, inOrder[4998]!];
    expect((await sort(inOrder, true)).algorithm).toBe("radix");
    // Fewer keys are inspected and sorted in one submission.
    expect((await sort(inOrder.slice(0, 3000), true)).algorithm).toBe("radix");
  });
});
