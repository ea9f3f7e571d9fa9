import { expect, it } from "vitest";
import { Gpu } from "../../src/core/device/gpu.js";
import { elementType, elementTypes } from "../../src/core/elements.js";
import type { SortJob } from "../../src/core/engines/engine.js";
import { GpuEngine } from "../../src/core/engines/gpu.js";
import { DeviceError, VerifyError } from "../../src/core/errors.js";
import { faultyDevice } from "../support/faulty_device.js";
import { randomKeys } from "../support/keys.js";
import { describeOnDevice, selector } from "./device.js";

describeOnDevice(`a faulty device (${selector})`, ({ gpu }) => {
  const count = 3000;

  /**
   * Sorts on a device with the given faults. @returns the error of the sort, if any, and the device's calls.
   */
  async function sort(
    some: Partial<SortJob> = {},
    ...faults: Parameters<typeof faultyDevice> extends [unknown, ...infer F] ? F : never
  ) {
    const faulty = faultyDevice(gpu.device, ...faults);
    const engine = new GpuEngine(new Gpu(faulty.device), "a faulty device");
    const { type = elementType("u32") } = some;
    const random = new Uint8Array(randomKeys(type, count / 2, 3).buffer as ArrayBuffer);
    const keys = Uint8Array.from([...random, ...random]); // with duplicates
    const usual = { type, keyCount: count, descending: false, algorithm: "auto", verify: true };
    const job: SortJob = { ...usual, ...some };
    let writes = 0;
    const sink = { write: async () => void writes++, end: async () => {} };
    const failure = await engine
      .sort(
        job,
        { read: async (into, offset) => into.set(keys.subarray(offset, offset + into.length)) },
        sink,
        undefined,
        job.unique === "counts" ? sink : undefined,
      )
      .then(
        () => undefined,
        (error: unknown) => error,
      );
    return { failure, calls: faulty.calls, writes };
  }

  it.each([
    ["lost", {}],
    ["out of memory", {}],
    ["lost", { unique: true, head: 20 }],
    ["out of memory", { unique: true, head: 20 }],
    ["lost", { unique: "counts" }],
    ["out of memory", { unique: "counts" }],
  ] as const)("%s at any of its calls causes a DeviceError: %j", async (kind, some) => {
    const { failure, calls } = await sort(some);
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
      const { failure } = await sort(some, { kind, at });
      expect(failure, `call ${at}, ${calls[at]}`).toBeInstanceOf(DeviceError);
      expect((failure as DeviceError).message).toMatch(/lost|out of memory|reported an error|injected/);
      expect((failure as DeviceError).hint).toBeTruthy();
    }
  });

  it.each(elementTypes)("that flips a bit of the $name keys read back causes a VerifyError", async (type) => {
    const bytes = count * type.bytes;
    for (const at of [0, 1, bytes >> 1, bytes - 1]) {
      const { failure } = await sort({ type }, undefined, (window, label) => {
        if (label === "readback window") window[at]! ^= 4;
      });
      expect(failure, `byte ${at}`).toBeInstanceOf(VerifyError);
      expect((failure as VerifyError).message).toContain("changed during the readback");
    }
  });

  it("that flips a bit of the first keys causes a VerifyError", async () => {
    for (const some of [{ unique: true }, { head: 9 }, { unique: true, head: 9 }]) {
      for (const at of [0, 35]) {
        const { failure } = await sort(some, undefined, (window, label) => {
          if (label === "readback window") window[at]! ^= 4;
        });
        expect(failure, JSON.stringify([some, at])).toBeInstanceOf(VerifyError);
        expect((failure as VerifyError).message).toContain("changed during the readback");
      }
    }
  });

  it("that flips a bit of a count causes a VerifyError", async () => {
    for (const at of [0, 35]) {
      let windows = 0;
      const { failure } = await sort({ unique: "counts" }, undefined, (window, label) => {
        if (label === "readback window" && windows++ === 1) window[at]! ^= 4; // the first has keys
      });
      expect(failure, `byte ${at}`).toBeInstanceOf(VerifyError);
      expect((failure as VerifyError).message).toContain("changed during the readback");
    }
  });

  const moved = "length + u32(place == 7u) - u32(place == 9u)";
  const movedMany = "length + (u32(place == 7u) << 12u) - (u32(place == 9u) << 12u)";
  it.each([
    ["a wrong count", "u32", "length + u32(place == 7u)", "3001 of 3000"],
    ["two wrong counts with the right sum", "u32", moved, "differ"],
    ["two counts that are wrong by a power of two", "u32", movedMany, "differ"],
    ["two wrong counts of floats with the right sum", "f32", moved, "differ"],
  ] as const)("that computes %s causes a VerifyError before it writes", async (_, name, length, found) => {
    const type = elementType(name);
    const { failure, writes } = await sort({ unique: "counts", type }, undefined, undefined, (wgsl) =>
      wgsl.replace("lengths[place] = length;", `lengths[place] = ${length};`),
    );
    expect(failure).toBeInstanceOf(VerifyError);
    expect((failure as VerifyError).message).toContain("counted equal keys wrongly");
    expect((failure as VerifyError).message).toContain(found);
    expect(writes).toBe(0);
  });

  it("that counts the distinct keys wrongly causes a VerifyError", async () => {
    for (const bit of [1, 128]) {
      const { failure } = await sort({ unique: true }, undefined, (window, label) => {
        if (label === "readback") window[0]! ^= bit;
      });
      expect(failure).toBeInstanceOf(VerifyError);
      expect((failure as VerifyError).message).toContain("dropped the wrong keys");
    }
  });
});
