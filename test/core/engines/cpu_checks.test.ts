import { describe, expect, it } from "vitest";
import { CallingThread } from "../../../src/core/cpu/runner.js";
import { elementType } from "../../../src/core/elements.js";
import { CpuEngine } from "../../../src/core/engines/cpu.js";
import type { SortJob } from "../../../src/core/engines/engine.js";
import { VerifyError } from "../../../src/core/errors.js";
import { memorySource } from "../../../src/core/streams/item_stream.js";
import {
  added,
  duplicated,
  erringRunner,
  type KernelFault,
  type Tampering,
} from "../../support/erring_runner.js";
import { memoryFile } from "../../support/memory_file.js";

const COUNT = 70_000; // so that the elements are divided
const keys = Uint32Array.from({ length: COUNT }, (_, i) => Math.imul(i + 1, 0x9e3779b1) >>> 0);
const type = elementType("u32");
const job: SortJob = { type, keyCount: COUNT, descending: false, algorithm: "auto", verify: true };

async function sortWith(fault: KernelFault, given: Partial<SortJob> = {}, input = keys) {
  const runner = erringRunner(new CallingThread(), fault);
  const output = memoryFile();
  try {
    await new CpuEngine(runner).sort({ ...job, ...given }, memorySource(input), output);
  } catch (error) {
    expect(output.bytes()).toHaveLength(0);
    throw error;
  } finally {
    expect(runner.errors(), "errors made").toBe(1);
  }
}

/** Changes a bit of the first element. */
const flipped: Tampering = (memory, [call]) => {
  memory[Number(call![0])]! ^= 1;
};

describe("a CPU that errs while it sorts keys is noticed", () => {
  /** Which argument is the address of the findings, whose second word counts inversions. */
  const FINDINGS = 7;
  it.each<[string, KernelFault, string]>([
    ["leaves keys out of order", { kernel: "sort_", after: added(1, 1, FINDINGS) }, "1 pairs of neighbours"],
    ["has a key twice instead of another", { kernel: "sort_", before: duplicated(4, [0, 1]) }, "checksums"],
    ["changes a bit of a key", { kernel: "sort_", before: flipped }, "checksums"],
    ["sorts nothing", { kernel: "sort_", skips: true }, "checksums"],
    ["looks at a key too few", { kernel: "sort_", after: added(0, -1, FINDINGS) }, "checksums"],
    ["has looked at a key too few", { kernel: "encode_", after: added(0, -1, 4) }, "checksums"],
  ])("it %s", async (_, fault, message) => {
    const sorting = sortWith(fault);
    await expect(sorting).rejects.toThrow(VerifyError);
    await expect(sorting).rejects.toThrow(message);
  });

  it("unless nothing is to be checked", async () => {
    await sortWith({ kernel: "sort_", before: flipped }, { verify: false });
  });
});

describe("a CPU that errs while it drops duplicates is noticed", () => {
  // The sum of the keys does not tell whether the last one is there, which is 0.
  const even = Uint32Array.from({ length: 300 }, (_, i) => 2 * (i % 100));
  const ROW = 3;
  it.each<[string, KernelFault]>([
    ["keeps a key too few", { kernel: "keep_firsts", after: added(0, -1, ROW) }],
    ["keeps a key twice instead of another", { kernel: "keep_firsts", after: duplicated(4, [0, 1]) }],
    ["keeps a key twice instead of 0", { kernel: "keep_firsts", after: duplicated(4, [98, 99]) }],
    ["keeps another key", { kernel: "keep_firsts", after: flipped }],
    ["keeps all", { kernel: "keep_firsts", skips: true }],
  ])("it %s", async (_, fault) => {
    const sorting = sortWith(fault, { unique: true, descending: true, keyCount: even.length }, even);
    await expect(sorting).rejects.toThrow(VerifyError);
    await expect(sorting).rejects.toThrow("CPU dropped the wrong keys");
  });
});

describe("a CPU that errs while it sorts a few keys at once is noticed", () => {
  const sortSync = (fault: KernelFault, verify = true) => {
    const engine = new CpuEngine(erringRunner(new CallingThread(), fault));
    const some = new Uint8Array(Uint32Array.of(5, 3, 9, 1).buffer);
    const into = new Uint8Array(16);
    engine.sortSync({ ...job, keyCount: 4, verify }, { keys: some, into }, false);
    return into;
  };

  it.each<[string, KernelFault, string]>([
    ["changes a bit of a key", { kernel: "sort_few", before: flipped }, "checksums"],
    ["sorts nothing", { kernel: "sort_few", skips: true }, "out of order"],
  ])("it %s", (_, fault, message) => {
    expect(() => sortSync(fault)).toThrow(VerifyError);
    expect(() => sortSync(fault)).toThrow(message);
    expect(() => sortSync(fault, false)).not.toThrow();
  });
});
