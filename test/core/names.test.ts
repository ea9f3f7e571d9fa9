import { describe, expect, it } from "vitest";
import { elementType } from "../../src/core/elements.js";
import { InputError } from "../../src/core/errors.js";
import { nameHint, nearestName, requireKnown, shown } from "../../src/core/names.js";

describe("the nearest name", () => {
  const names = ["auto", "radix", "bitonic", "round-trip"];

  it.each([
    ["radxi", "radix"],
    ["Radix", "radix"],
    ["radi", "radix"],
    ["bitonc", "bitonic"],
    ["round_tripp", "round-trip"],
    ["aut", "auto"],
  ])("of %s is %s", (word, name) => {
    expect(nearestName(word, names)).toBe(name);
  });

  it.each(["", "x", "bogo", "quick", "merge", "toni"])("of '%s' is none", (word) => {
    expect(nearestName(word, names)).toBeUndefined();
  });

  it("is in the hint, which lists all names", () => {
    expect(nameHint("radxi", names)).toBe("did you mean radix? use one of auto, radix, bitonic, round-trip");
    expect(nameHint("x", names)).toBe("use one of auto, radix, bitonic, round-trip");
  });
});

describe("a type of another language", () => {
  it.each([
    ["uint32_t", "u32"],
    ["Float64Array", "f64"],
    ["BigInt64Array", "i64"],
    ["np.float32", "f32"],
    ["float16", "f16"],
    ["<f8", "f64"],
    ["<i4", "i32"],
    ["U16", "u16"],
    ["double", "f64"],
    ["int", "i32"],
  ])("%s is named as %s", (word, ours) => {
    expect(() => elementType(word)).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(`^did you mean ${ours}\\?`) }),
    );
  });

  it.each(["float8", "u24", "constructor", "__proto__", ""])("%s is not, as gpusort has none", (word) => {
    expect(() => elementType(word)).toThrow(
      expect.objectContaining({ hint: expect.stringMatching(/^use one of u8/) }),
    );
  });
});

describe("an unknown option", () => {
  const known = ["descending", "bits", "verify"];

  it("is refused with the name that is meant", () => {
    const refused = (options: object) => {
      try {
        requireKnown("a sort", options, known);
      } catch (error) {
        expect(error).toBeInstanceOf(InputError);
        return [(error as InputError).message, (error as InputError).hint];
      }
      return undefined;
    };
    expect(refused({ descending: true, bits: undefined })).toBeUndefined();
    const list = "use one of descending, bits, verify";
    expect(refused({ reverse: true })).toEqual([
      "a sort has no option 'reverse'",
      `did you mean descending? ${list}`,
    ]);
    expect(refused({ verfy: false })).toEqual([
      "a sort has no option 'verfy'",
      `did you mean verify? ${list}`,
    ]);
    const array = { hint: "pass an object" };
    for (const options of [new Float32Array(2), [true]]) {
      expect(() => requireKnown("a sort", options, known)).toThrow(expect.objectContaining(array));
    }
    expect(refused({ colour: "red" })).toEqual(["a sort has no option 'colour'", list]);
  });
});

it("a value is shown by its class if it is an object, which may not print, or at length", () => {
  const transferred = new Uint16Array(2);
  structuredClone(transferred, { transfer: [transferred.buffer] });
  const values = [Object.create(null), new Float32Array(3), transferred, [1, 2], Symbol("s")];
  expect(values.map(shown).join()).toBe("object,Float32Array,Uint16Array,Array,Symbol(s)");
  expect(["a", 5n, 0.5, null, undefined].map(shown).join()).toBe('"a",5n,0.5,null,undefined');
});
