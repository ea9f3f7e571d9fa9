import { describe, expect, it } from "vitest";
import { elementType, elementTypeOfArray, elementTypes } from "../../src/core/elements.js";
import { InputError } from "../../src/core/errors.js";
import { keyElement, keyValue } from "../../src/core/float16.js";

const names = ["u8", "i8", "u16", "i16", "f16", "u32", "i32", "f32", "u64", "i64", "f64"];

/** @returns what a call throws, so that more than its message can be checked. */
function thrown(call: () => unknown): unknown {
  try {
    call();
  } catch (error) {
    return error;
  }
  return undefined;
}

describe("the table of element types", () => {
  it("holds eleven types", () => {
    expect(elementTypes.map(({ name }) => name)).toEqual(names);
  });

  it.each(elementTypes)("has a consistent name, width, order and array for $name", (type) => {
    const orders = { u: "unsigned", i: "signed", f: "float" };
    expect(type.order).toBe(orders[type.name[0] as "u" | "i" | "f"]);
    expect(type.bytes * 8).toBe(Number(type.name.slice(1)));
    expect(type.words).toBe(Math.ceil(type.bytes / 4));
    expect(type.array.BYTES_PER_ELEMENT).toBe(type.bytes);
    expect(type.description).toContain(type.name.slice(1));
  });

  it.each(elementTypes)(
    "has an array class for $name that holds negative numbers if the order is not unsigned",
    (type) => {
      const one = type.bytes === 8 && type.order !== "float" ? 1n : 1;
      const kept = [one, -one].map((key) => {
        return keyValue(new type.array(1).fill(keyElement(key, type) as never)[0]!, type);
      });
      expect(kept[1]! < kept[0]!).toBe(type.order !== "unsigned");
    },
  );
});

describe("a type by name", () => {
  it.each(names)("is found for %s", (name) => {
    expect(elementType(name).name).toBe(name);
  });

  it.each(["", "U32", "u24", "float", "u32 ", "constructor", "__proto__"])("is refused for '%s'", (name) => {
    const error = thrown(() => elementType(name)) as InputError;
    expect(error).toBeInstanceOf(InputError);
    expect(error.message).toBe(`unknown element type '${name}'`);
    expect(error.hint).toContain(`use one of ${names.join(", ")}`);
  });
});

describe("a type by its typed array", () => {
  it.each(elementTypes)("is found for $name, also for a subclass of the array", (type) => {
    class Mine extends (type.array as Uint32ArrayConstructor) {}
    expect(elementTypeOfArray(new type.array(1))).toBe(type);
    expect(elementTypeOfArray(new Mine(1))).toBe(type);
  });

  it.each([new Uint8ClampedArray(8), new DataView(new ArrayBuffer(8))])(
    "is refused for $constructor.name, which the error names",
    (view) => {
      const error = thrown(() => elementTypeOfArray(view)) as InputError;
      expect(error).toBeInstanceOf(InputError);
      expect(error.message).toBe(`cannot sort a ${view.constructor.name}`);
      expect(error.hint).toContain("Float64Array");
    },
  );
});
