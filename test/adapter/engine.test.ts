import { expect, it } from "vitest";
import { elementType, elementTypes, type KeyArray } from "../../src/core/elements.js";
import { GpuEngine } from "../../src/core/engines/gpu.js";
import { describeEngine } from "../support/engine_conformance.js";
import { describeWanted } from "../support/wanted.js";
import { describeOnDevice, fewerOnLavapipe, selector } from "./device.js";

describeOnDevice(`the engine on ${selector}`, ({ gpu }) => {
  const engine = new GpuEngine(gpu, selector);
  const types = fewerOnLavapipe(elementTypes, ["i8", "u16", "f32", "u64"].map(elementType));
  describeEngine(engine, [0, 1, 2, 127, 129, 5000], 30, types);
  describeWanted(engine, [1, 5000], 2, types);

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
    expect((await sort(inOrder, true)).algorithm).toBe("none, as they are in order");
    expect((await sort(inOrder, false)).algorithm).toBe("radix");
    [inOrder[4998], inOrder[4996]] = [inOrder[4996]!, inOrder[4998]!];
    expect((await sort(inOrder, true)).algorithm).toBe("radix");
    // Fewer keys are inspected and sorted in one submission.
    expect((await sort(inOrder.slice(0, 3000), true)).algorithm).toBe("radix");
  });
});
