import { afterAll, expect } from "vitest";
import { BufferUsage } from "../../src/core/device/usage.js";
import { InputError } from "../../src/core/errors.js";
import { createSorter } from "../../src/core/index.js";
import { nullAdapter } from "./null_backend.js";

/**
 * A sorter on a device of Dawn's null backend, which validates all calls without a driver, but computes
 * nothing. No refusal may reach the error handler of the device's owner.
 */
export async function nullSorter() {
  const device = await (await nullAdapter()).requestDevice();
  const sorter = await createSorter(device);
  const uncaptured: string[] = [];
  device.onuncapturederror = ({ error }) => {
    uncaptured.push(error.message);
  };
  afterAll(() => {
    sorter.destroy();
    expect(uncaptured).toEqual([]);
  });
  const buffer = (size: number, usage: number = BufferUsage.storage, on = device) =>
    on.createBuffer({ size, usage });
  return { device, sorter, buffer };
}

/**
 * Expects a call to fail with an InputError that has a hint.
 *
 * @returns its message and its hint as one string.
 */
export async function refusal(call: () => unknown): Promise<string> {
  const error = await Promise.resolve()
    .then(call)
    .then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  expect(error).toBeInstanceOf(InputError);
  const { message, hint } = error as InputError;
  expect(hint).toBeDefined();
  expect(`${message} ${hint}`, "names a flag of the command").not.toMatch(/(^|\s)--?[a-z]/);
  return `${message}; ${hint}`;
}
