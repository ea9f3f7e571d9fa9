import { expect, it } from "vitest";
import { elementType, type KeyArray } from "../../src/core/elements.js";
import { GpuEngine } from "../../src/core/engines/gpu.js";
import { describeEngine } from "../support/engine_conformance.js";
import { describeWanted } from "../support/wanted.js";
import { describeOnDevice, selector } from "./device.js";

describeOnDevice(`the engine on ${selector}`, ({ gpu }) => {
  const engine = new GpuEngine(gpu, selector);
  describeEngine(engine, [0, 1, 2, 127, 129, 5000], 30);
  describeWanted(engine, [1, 5000], 2);

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
    const inOrder = new Uint32Array(5000).map((_, i) => i >> 1);
    expect((await sort(inOrder, true)).algorithm).toBe("none, as they are in order");
    expect((await sort(inOrder, false)).algorithm).toBe("radix");
    [inOrder[4998], inOrder[4996]] = [inOrder[4996]!, inOrder[4998]!];
    expect((await sort(inOrder, true)).algorithm).toBe("radix");
  });
});
