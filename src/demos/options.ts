import { InputError } from "../core/errors.js";

/** An option of a demo: its text in --help, and how its value is read. */
export interface DemoOption<T> {
  /** The placeholder for the value in --help. */
  readonly value: string;
  readonly description: string;
  /** The default as text. An option without a default may be left out: `parse` then receives undefined. */
  readonly default?: string;
  /** @throws InputError that names the option. */
  readonly parse: (text: string | undefined, option: string) => T;
}

function refuse(option: string, text: string | undefined, what: string, example: string): InputError {
  return new InputError(`${option} '${text}' is not a ${what}`, {
    hint: `write it like ${option} ${example}`,
  });
}

/** An option for a whole number from `least` to `most`. */
export function wholeNumber(
  description: string,
  { default: initial, least, most }: { default: number; least: number; most: number },
): DemoOption<number> {
  return {
    value: "n",
    description,
    default: String(initial),
    parse: (text, option) => {
      const value = /^\d+$/.test(text ?? "") ? Number(text) : Number.NaN;
      if (value >= least && value <= most) return value;
      throw refuse(option, text, `whole number from ${least} to ${most}`, String(initial));
    },
  };
}

/** An option for a number greater than 0. */
export function positiveNumber(description: string, initial: number): DemoOption<number> {
  return {
    value: "x",
    description,
    default: String(initial),
    parse: (text, option) => {
      const value = Number(text || Number.NaN);
      if (value > 0 && Number.isFinite(value)) return value;
      throw refuse(option, text, "positive number", String(initial));
    },
  };
}

/**
 * An option for a size: up to `dimensions` whole numbers of at least 1 with an x between them, such as "8x8".
 * Missing ones are 1.
 */
export function extent(description: string, initial: string, dimensions: number): DemoOption<number[]> {
  const form = ["W", "H", "D"].slice(0, dimensions).join("x");
  return {
    value: form,
    description,
    default: initial,
    parse: (text, option) => {
      const sides = (text ?? "").split("x").map((side) => (/^\d{1,9}$/.test(side) ? Number(side) : 0));
      if (sides.length > dimensions || sides.some((side) => side < 1)) {
        throw refuse(option, text, `size of the form ${form}`, initial);
      }
      return [...sides, 1, 1].slice(0, dimensions);
    },
  };
}

/** An option for a list of whole numbers, separated by commas. */
export function wholeNumbers(
  description: string,
  { default: initial, most, example }: { default?: string; most: number; example: string },
): DemoOption<number[] | undefined> {
  return {
    value: "a,b,…",
    description,
    ...(initial === undefined ? {} : { default: initial }),
    parse: (text, option) => {
      if (text === undefined) return undefined;
      const values = text.split(",").map((one) => (/^\d+$/.test(one.trim()) ? Number(one) : Number.NaN));
      if (values.every((value) => value <= most)) return values;
      throw refuse(option, text, `list of whole numbers up to ${most}`, example);
    },
  };
}
