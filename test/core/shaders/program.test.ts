import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { elementType } from "../../../src/core/elements.js";
import { library } from "../../../src/core/shaders/kernels.generated.js";
import { params, program, readParams } from "../../../src/core/shaders/kernels.js";
import { familyOf, linkedProgram, shaderSource } from "../../../src/core/shaders/linked.js";
import type { ShaderUnit } from "../../../src/core/shaders/program.js";
import { radixPlan } from "../../../src/core/sort/radix/radix.js";
import * as demos from "../../../src/demo_kernels/kernels.js";
import { nvidiaTraits } from "../../support/limits.js";

describe("the parameters of a kernel", () => {
  it("are written at the places of its struct, and read back", () => {
    const limits = { capacity: 1, chunkUnit: 2, minChunk: 3, maxColumns: 4, begin: 5, end: 6, countAt: 7 };
    const words = params("radix_plan_on_device", limits);
    expect(words).toEqual([1, 2, 3, 4, 5, 6, 7]);
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

  it("is linked with the variants that it names", async () => {
    const source = await shaderSource(transpose);
    expect(source).toContain("alias Key = vec2u;");
    await expect(shaderSource({ ...transpose, variants: {} })).rejects.toThrow(
      "the program of transpose has no variant for key",
    );
  });

  it("is linked with what follows #else for a slot that it leaves out", async () => {
    const plan = program("msd_plan", {
      variants: { subgroup: "known" },
      constants: { PARAMS: 5, SUBGROUP_SIZE: 32, WORKGROUP_SIZE: 64 },
    });
    const { code, locate } = await linkedProgram(plan, library);
    const at = code.split("\n").lastIndexOf("  return FITS;");
    const [path = "", line] = locate(at + 1).split(":");
    expect(path).toBe("wgsl/msd/msd_plan.wgsl");
    const file = readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
    expect(file.split("\n")[Number(line) - 1]).toBe("  return FITS;");
  });

  it("must have every constant that its files name, and no other", async () => {
    const { BAND, ...rest } = transpose.constants;
    await expect(shaderSource({ ...transpose, constants: rest })).rejects.toThrow("lacks BAND");
    const more = { ...transpose.constants, MASK: BAND! };
    await expect(shaderSource({ ...transpose, constants: more })).rejects.toThrow("does not use MASK");
  });

  it("enables only the extensions that its files name", async () => {
    const { kernels, modules } = await familyOf(library, "radix_scatter");
    const enabled = ({ sections }: ShaderUnit) => sections.flatMap(({ enables = [] }) => enables);
    expect(enabled(kernels.radix_scatter!)).toEqual([]);
    expect(enabled(modules.rank_counters!)).toEqual(["subgroups"]);
    expect(await shaderSource(transpose)).not.toContain("enable");
  });

  it("must be of a kernel of the library", async () => {
    await expect(shaderSource({ ...transpose, kernel: "toString" })).rejects.toThrow(
      "there is no kernel toString",
    );
  });
});

const remapped = radixPlan(2 ** 24, elementType("f32"), { descending: false }, nvidiaTraits);

describe("the families of kernels", () => {
  it("have all kernels, each in the one of its folder", async () => {
    const files = readdirSync(new URL("../../../wgsl/", import.meta.url), { recursive: true }).map(String);
    for (const kernel of Object.keys(library.kernels)) {
      const path = files.find((file) => basename(file) === `${kernel}.wgsl`)!;
      const name = basename(dirname(path));
      const { family } = await import(`../../../src/core/shaders/wgsl/${name}.generated.ts`);
      expect(await familyOf(library, kernel)).toBe(family);
      expect(family.kernels[kernel].path).toBe(path);
    }
  });

  it("share the modules that several of them import", async () => {
    const [radix, msd] = await Promise.all(
      ["radix_scatter", "msd_local"].map((kernel) => familyOf(library, kernel)),
    );
    expect(radix!.modules.key).toBe(msd!.modules.key);
    expect(radix!.modules.key).toBeDefined();
    expect(Object.keys(radix!.modules)).not.toContain("msd_tile");
  });

  it("may have a module that is loaded for programs alone of which a variant imports it", async () => {
    expect(Object.keys(library.variants!)).toContain("compared/remapped");
    const { modules } = await familyOf(library, "radix_scatter");
    expect(Object.keys(modules)).toContain("compared");
    for (const name of ["remap_word", "key_range"]) expect(Object.keys(modules)).not.toContain(name);
    const [pass] = remapped.passes.filter(({ program }) => program.variants.compared === "remapped");
    expect(await shaderSource(pass!.program)).toContain("fn remap_code");
    // Several variants of a slot may.
    const pairs = radixPlan(2 ** 24, elementType("u64"), { descending: false, payload: 4 }, nvidiaTraits);
    const ranges = pairs.passes.filter(({ program: { kernel, variants } }) => {
      return kernel === "radix_scatter" && variants.normalization !== undefined;
    });
    expect(ranges.map(({ program }) => program.variants.normalization)).toEqual(["range", "kept"]);
    for (const { program } of ranges) expect(await shaderSource(program)).toContain("fn first_stretched_to");
  });
});
