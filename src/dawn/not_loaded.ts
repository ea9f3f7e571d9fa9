import { DeviceError } from "../core/errors.js";

/** @throws DeviceError that says why Dawn did not load. */
export function notLoaded(cause: Error): never {
  const [problem] = cause.message.split("\n");
  throw new DeviceError(`the npm package webgpu does not load: ${problem}`, {
    hint: "install it again on this machine, or choose the CPU",
    cause,
  });
}
