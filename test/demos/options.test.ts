import { describe, expect, it } from "vitest";
import { InputError } from "../../src/core/errors.js";
import { defaultTraits } from "../../src/core/plan/traits.js";
import { extent, positiveNumber, wholeNumber, wholeNumbers } from "../../src/demos/options.js";
import { demos } from "../../src/demos/registry.js";
import { buildDemo, noise } from "../support/demos.js";

describe("a demo's option", () => {
  const whole = wholeNumber("", { default: 3, least: 1, most: 10 });
  const size = extent("", "8x8", 3);
  const list = wholeNumbers("", { most: 100, example: "1,2" });

  it("is read from text", () => {
    expect(whole.parse("10", "--n")).toBe(10);
    expect(positiveNumber("", 1).parse("2.5", "--x")).toBe(2.5);
    expect(size.parse("8x4", "--size")).toEqual([8, 4, 1]);
    expect(size.parse("1x2x3", "--size")).toEqual([1, 2, 3]);
    expect(list.parse("7,3,100", "--list")).toEqual([7, 3, 100]);
    expect(list.parse(undefined, "--list")).toBeUndefined();
  });

  it.each([
    [whole, ["0", "11", "1.5", "-1", "", "ten", "1e1"]],
    [positiveNumber("", 1), ["0", "-2", "", "NaN", "Infinity", "x"]],
    [size, ["", "8x", "x8", "0x8", "8x8x8x8", "8,8", "-1x8"]],
    [list, ["", "1,,2", "1,x", "101", "-1", "1.5"]],
  ])("refuses invalid text with an error that names the option: %#", (option, texts) => {
    for (const text of texts) {
      expect(() => option.parse(text, "--some"), `'${text}'`).toThrow(InputError);
      expect(() => option.parse(text, "--some"), `'${text}'`).toThrow(`--some '${text}' is not a `);
    }
  });
});

describe("a demo refuses invalid options, and options that the device cannot run, with a hint", () => {
  const cases: [name: string, texts: Record<string, string>, message: RegExp][] = [
    ["threads", { workgroup: "32x32" }, /--workgroup 32x32x1 is 1,024 invocations/],
    ["threads", { workgroup: "1x1x65" }, /--workgroup 1x1x65/],
    ["threads", { groups: "65536x1" }, /--groups 65536x1x1 is too many/],
    ["threads", { groups: "60000x60000" }, /invocations are too many for this demo/],
    ["threads", { group: "3,0,0" }, /--group 3,0,0 is not within --groups 3x2x1/],
    ["threads", { thread: "0,8,0" }, /--thread 0,8,0 is not within --workgroup 8x8x1/],
    ["grid", { size: "8193x1" }, /8,193 x 1 pixels/],
    ["grid", { workgroup: "512x1" }, /--workgroup 512x1 is 512 invocations/],
    ["texture-add", { size: "1x9000" }, /1 x 9,000 pixels/],
    ["barrier", { workgroup: "512" }, /--workgroup 512x1x1/],
    ["transpose", { rows: "10000", columns: "10000" }, /would need a buffer of 400 MB/],
    ["blur", { sigma: "2.51" }, /--sigma 2\.51 needs a radius of 6 pixels/],
    ["waves", { size: "7x9" }, /too small for a drop/],
    ["waves", { size: "9000x8" }, /9,000 x 8 pixels/],
    ["particles", { count: "3000000" }, /buffer of 144 MB/],
    ["network", { keys: "12" }, /--keys 12 is not a power of two/],
    ["network", { trace: "1,2,3" }, /--trace, 3, is not a power of two/],
    ["network", { tile: "12" }, /--tile 12 is not a power of two/],
  ];

  it.each(cases)("%s %o", (name, texts, message) => {
    const build = () => buildDemo(name, defaultTraits, texts);
    expect(build).toThrow(InputError);
    expect(build).toThrow(message);
    try {
      build();
    } catch (error) {
      expect((error as InputError).hint).toBeTruthy();
    }
  });

  it("texture-add with one image, or with two images of different sizes", () => {
    expect(() => buildDemo("texture-add", defaultTraits, {}, [noise(4, 4)])).toThrow(/only one was given/);
    const unlike = [noise(4, 4), noise(4, 5)];
    expect(() => buildDemo("texture-add", defaultTraits, {}, unlike)).toThrow(/4 x 4 and 4 x 5 pixels/);
  });
});

describe("every demo", () => {
  it.each(demos)(
    "$name has a name, a summary and options that --help can show",
    ({ name, summary, options }) => {
      expect(name).toMatch(/^[a-z-]+$/);
      expect(summary.length).toBeLessThan(110);
      for (const [option, { description }] of Object.entries(options)) {
        expect(option).toMatch(/^[a-z]+$/);
        expect(["device", "output", "timing"]).not.toContain(option);
        expect(description).not.toBe("");
      }
    },
  );
});
