import { expect } from "vitest";

const bytesOf = ({ buffer, byteOffset, byteLength }: ArrayBufferView) =>
  Buffer.from(buffer, byteOffset, byteLength);

/**
 * Vitest compares typed arrays number by number, which takes seconds for a megabyte. Arrays of one type with
 * the same bytes are equal. Others are compared as before, so -0, NaNs and what is printed stay Vitest's.
 */
expect.addEqualityTesters([
  (a, b) =>
    ArrayBuffer.isView(a) && ArrayBuffer.isView(b) && a.constructor === b.constructor
      ? bytesOf(a).equals(bytesOf(b)) || undefined
      : undefined,
]);
