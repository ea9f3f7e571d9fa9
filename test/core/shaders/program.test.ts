import { describe, expect, it } from "vitest";
import { library, params, program, readParams } from "../../../src/core/shaders/kernels.js";
import { shaderSource } from "../../../src/core/shaders/link.js";
import * as demos from "../../../src/demo_kernels/kernels.js";

describe("the parameters of a kernel", () => {
  it("are written at the places of its struct, and read back", () => {
    const limits = { capacity: 1, chunkUnit: 2, minChunk: 3, maxColumns: 4, begin: 5, end: 6 };
    const words = params("radix_plan_on_device", limits);
    expect(words).toEqual([1, 2, 3, 4, 5, 6]);
    expect(readParams("radix_plan_on_device", words)).toEqual(limits);
  });

  it("may be floats and arrays of vectors, whose unused words are zeros", () => {
    const words = demos.params("blur", { radius: 2, weights: [0.25, 0.5, 0.25] });
    expect(words).toHaveLength(16);
    expect(words.slice(0, 8)).toEqual([2, 0, 0, 0, 0x3e800000, 0x3f000000, 0x3e800000, 0]);
    expect(demos.readParams("blur", words).weights.slice(0, 4)).toEqual([0.25, 0.5, 0.25, 0]);
  });
});

describe("a program", () => {
  const transpose = program("transpose", {
    variants: { key: "64" },
    constants: { TILE_SIDE: 32, WORKGROUP_SIZE: 256, BATCH: 4, BAND: 1 },
  });

  it("is linked with the variants that it names", () => {
    expect(shaderSource(transpose)).toBe(shaderSource(transpose, library));
    expect(shaderSource(transpose)).toContain("alias Key = vec2u;");
    expect(() => shaderSource({ ...transpose, variants: {} }, library)).toThrow(
      "the program of transpose has no variant for key",
    );
  });

  it("must have every constant that its files name, and no other", () => {
    const { BAND, ...rest } = transpose.constants;
    expect(() => shaderSource({ ...transpose, constants: rest }, library)).toThrow("lacks BAND");
    const more = { ...transpose.constants, MASK: BAND! };
    expect(() => shaderSource({ ...transpose, constants: more }, library)).toThrow("does not use MASK");
  });

  it("enables only the extensions that its files name", () => {
    const { kernels, modules } = library;
    expect(kernels.radix_scatter!.enables).toEqual([]);
    expect(modules.rank!.enables).toEqual(["subgroups"]);
    expect(shaderSource(transpose, library)).not.toContain("enable");
  });
});
