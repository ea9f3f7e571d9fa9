import { readParams } from "../../../src/core/shaders/kernels.js";
import type { Dispatch } from "../../../src/demos/cpu/cpu_kernel.js";
import { keyOps } from "../../../src/demos/cpu/order.js";
import { Status } from "./status.js";

const FORMS = 2 ** 30;
const ONE = 0x3ff0_0000n << 32n;

/** How decimals become whole numbers. */
export interface Decimals {
  readonly power: number;
  readonly bias: number;
}

const words = new BigUint64Array(1);
const floats = new Float64Array(words.buffer);

function floatOf(key: bigint): number {
  words[0] = key;
  return floats[0]!;
}

function keyOf(float: number): bigint {
  floats[0] = float;
  return words[0]!;
}

/**
 * The whole number that stands for a decimal, and the decimal; wgsl/msd/remap/decimals.wgsl without emulated
 * floats.
 */
export function decimalForms({ power, bias }: Decimals) {
  return {
    formOf: (key: bigint) => {
      const whole = Math.round(Math.abs(floatOf(key)) * power);
      return (key >> 63n === 1n ? -1 - whole : whole) + bias;
    },
    keyOf: (form: number) => {
      const signed = form - bias;
      return keyOf(signed < 0 ? -((-1 - signed) / power) : signed / power);
    },
  };
}

export function isDecimal(key: bigint, decimals: Decimals): boolean {
  const { formOf, keyOf } = decimalForms(decimals);
  const form = formOf(key);
  return form >= 0 && form < FORMS && keyOf(form) === key;
}

export function chosenDecimals(status: Uint32Array): Decimals {
  return { power: status[4]!, bias: status[7]! };
}

/** Converts keys in place instead, if decimals are sorted; see wgsl/msd/remap/converted_decimals.wgsl. */
export function convertsDecimals({ bindings, constants, params, variants }: Dispatch): boolean {
  const { decimals } = variants;
  if (decimals !== "to_forms" && decimals !== "restored") return false;
  const status = bindings[constants.STATUS!]!;
  if (status[0] !== Status.DECIMALS) return false;
  const keys = bindings[constants.CONVERTED!]!;
  const { formOf, keyOf } = decimalForms(chosenDecimals(status));
  const { read, write } = keyOps(64, {});
  const { keyCount } = readParams("radix_count", params);
  for (let i = 0; i < keyCount; i++) {
    const key = read(keys, i) as bigint;
    const form = Number(key & 0xffff_ffffn);
    write(keys, i, decimals === "restored" ? keyOf(form) : ONE | BigInt(formOf(key)));
  }
  return true;
}
