import { type ElementType, elementType, elementTypeOfPath } from "../elements.js";
import { InputError } from "../errors.js";

/** What a file of keys holds. */
export interface Layout {
  readonly type: ElementType;
  readonly keyCount: number;
}

/**
 * Raw keys, little-endian, end to end, and nothing else.
 *
 * @param typeName the type that was asked for; without one, the file's extension tells, else it is u32.
 * @throws InputError if there is no such type, or if the length is not a whole number of keys.
 */
export function rawLayout(name: string, byteLength: number, typeName: string | undefined): Layout {
  const type =
    typeName === undefined ? (elementTypeOfPath(name) ?? elementType("u32")) : elementType(typeName);
  const leftOver = byteLength % type.bytes;
  if (leftOver !== 0) {
    throw new InputError(
      `${name} has ${byteLength} ${byteLength === 1 ? "byte" : "bytes"}, which is no whole number of ${type.name} keys of ${type.bytes} bytes: ` +
        `${leftOver} ${leftOver === 1 ? "byte is" : "bytes are"} left over`,
      { hint: "name the type of its keys with --type, or cut the file" },
    );
  }
  return { type, keyCount: byteLength / type.bytes };
}
