import { Float16Keys } from "./float16.js";

/**
 * @typedef {"u8" | "i8" | "u16" | "i16" | "f16" | "u32" | "i32" | "f32" | "u64" | "i64" | "f64"} TypeName
 * @typedef {Uint8Array | Int8Array | Uint16Array | Int16Array | Uint32Array | Int32Array | Float32Array
 *   | BigUint64Array | BigInt64Array | Float64Array} Keys
 *
 * @typedef {{ BYTES_PER_ELEMENT: number, new (memory: ArrayBufferLike, offset?: number, length?: number): Keys
 *   }} KeyClass
 *
 * @typedef {object} Type
 * @property {KeyClass} array
 * @property {string} npy
 * @property {boolean} float
 * @property {bigint} [low]
 * @property {bigint} [high]
 */

/**
 * The element types, written down again: the oracle shares no code with gpusort.
 *
 * @type {Record<TypeName, Type>}
 */
export const types = {
  u8: { array: Uint8Array, npy: "|u1", float: false, low: 0n, high: 2n ** 8n - 1n },
  i8: { array: Int8Array, npy: "|i1", float: false, low: -(2n ** 7n), high: 2n ** 7n - 1n },
  u16: { array: Uint16Array, npy: "<u2", float: false, low: 0n, high: 2n ** 16n - 1n },
  i16: { array: Int16Array, npy: "<i2", float: false, low: -(2n ** 15n), high: 2n ** 15n - 1n },
  f16: { array: Float16Keys, npy: "<f2", float: true },
  u32: { array: Uint32Array, npy: "<u4", float: false, low: 0n, high: 2n ** 32n - 1n },
  i32: { array: Int32Array, npy: "<i4", float: false, low: -(2n ** 31n), high: 2n ** 31n - 1n },
  f32: { array: Float32Array, npy: "<f4", float: true },
  u64: { array: BigUint64Array, npy: "<u8", float: false, low: 0n, high: 2n ** 64n - 1n },
  i64: { array: BigInt64Array, npy: "<i8", float: false, low: -(2n ** 63n), high: 2n ** 63n - 1n },
  f64: { array: Float64Array, npy: "<f8", float: true },
};
export const typeNames = /** @type {TypeName[]} */ (Object.keys(types));

/** @param {TypeName} type */
export const bytesOf = (type) => types[type].array.BYTES_PER_ELEMENT;

/**
 * The bytes of an array, not a copy.
 *
 * @param {ArrayBufferView} array
 */
export const bytesIn = (array) => new Uint8Array(array.buffer, array.byteOffset, array.byteLength);

/**
 * The keys in bytes, which may start at any address.
 *
 * @param {Uint8Array} bytes
 * @param {TypeName} type
 */
export function keysIn(bytes, type) {
  const copy = new Uint8Array(bytes); // a slice of a Buffer is no copy
  return new types[type].array(copy.buffer, 0, copy.byteLength / bytesOf(type));
}

/**
 * The bytes of each item in reverse: keys of the other byte order.
 *
 * @param {Uint8Array} bytes
 * @param {number} itemBytes
 */
export function swapped(bytes, itemBytes) {
  const copy = new Uint8Array(bytes); // a slice of a Buffer is no copy
  for (let at = 0; at < copy.length; at += itemBytes) copy.subarray(at, at + itemBytes).reverse();
  return copy;
}
