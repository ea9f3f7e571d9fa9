import { expect, it } from "vitest";
import { Gpu } from "../../src/device/gpu.js";
import { elementType, elementTypes } from "../../src/elements.js";
import type { SortJob } from "../../src/engines/engine.js";
import { GpuEngine } from "../../src/engines/gpu.js";
import { DeviceError, VerifyError } from "../../src/errors.js";
import { faultyDevice } from "../support/faulty_device.js";
import { randomKeys } from "../support/keys.js";
import { describeOnDevice, selector } from "./device.js";

describeOnDevice(`a device that fails, ${selector}`, ({ gpu }) => {
  const count = 3000;

  /** Sorts on a device that fails so. @returns what was handed on before it did, if it did. */
  async function sort(
    type = elementType("u32"),
    ...faults: Parameters<typeof faultyDevice> extends [unknown, ...infer F] ? F : never
  ) {
    const faulty = faultyDevice(gpu.device, ...faults);
    const engine = new GpuEngine(new Gpu(faulty.device), "a faulty device");
    const keys = new Uint8Array(randomKeys(type, count, 3).buffer as ArrayBuffer);
    const job: SortJob = { type, keyCount: count, descending: false, algorithm: "auto", verify: true };
    const failure = await engine
      .sort(
        job,
        { read: async (into, offset) => into.set(keys.subarray(offset, offset + into.length)) },
        { write: async () => {} },
      )
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    return { failure, calls: faulty.calls };
  }

  it.each(["lost", "out of memory"] as const)(
    "%s, at whichever of its calls, is a DeviceError",
    async (kind) => {
      const { failure, calls } = await sort();
      expect(failure).toBeUndefined();
      expect(calls.length).toBeGreaterThan(20);
      expect(new Set(calls)).toEqual(
        new Set([
          "createBuffer",
          "createShaderModule",
          "createComputePipelineAsync",
          "createBindGroup",
          "createCommandEncoder",
          "createQuerySet",
          "submit",
          "mapAsync",
        ]),
      );
      for (let at = 0; at < calls.length; at++) {
        const { failure } = await sort(undefined, { kind, at });
        expect(failure, `call ${at}, ${calls[at]}`).toBeInstanceOf(DeviceError);
        expect((failure as DeviceError).message).toMatch(/lost|out of memory|reported an error|injected/);
        expect((failure as DeviceError).hint).toBeTruthy();
      }
    },
  );

  it.each(elementTypes)("flips one bit in what it hands back of $name: it is a VerifyError", async (type) => {
    const bytes = count * type.bytes;
    for (const at of [0, 1, bytes >> 1, bytes - 1]) {
      const { failure } = await sort(type, undefined, (window, label) => {
        if (label === "readback window") window[at]! ^= 4;
      });
      expect(failure, `byte ${at}`).toBeInstanceOf(VerifyError);
      expect((failure as VerifyError).message).toContain("arrived changed");
    }
  });
});
