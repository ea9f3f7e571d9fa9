import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { Progress } from "../../src/commands/progress.js";
import { type SortItemsOptions, sortItems } from "../../src/commands/sort_items.js";
import { elementType } from "../../src/elements.js";
import { CpuEngine } from "../../src/engines/cpu.js";
import type { KeySink } from "../../src/engines/engine.js";
import { DeviceError } from "../../src/errors.js";
import { raw } from "../../src/formats/raw.js";
import { byteInput } from "../support/bytes.js";
import { memoryFile } from "../support/memory_file.js";

const keys = Uint32Array.from({ length: 5000 }, (_, i) => Math.imul(i, 0x9e3779b1));
const options: SortItemsOptions = {
  descending: false,
  algorithm: "auto",
  verify: true,
  unique: false,
  merge: false,
  argsort: false,
  wanted: undefined,
  memoryBytes: undefined,
  temporaryFolder: tmpdir(),
  progress: new Progress(process.stderr, false),
};

/** A device with memory for so many keys, which nobody can ask it for. */
function smallDevice(most: number, writesFirst = false) {
  const sorted: number[] = [];
  const engine = Object.assign(new CpuEngine(), {
    sort: async (...args: Parameters<CpuEngine["sort"]>) => {
      const [job, , sink] = args;
      sorted.push(job.keyCount);
      if (job.keyCount <= most) return new CpuEngine().sort(...args);
      if (writesFirst) await sink.write(new Uint8Array(4), 0);
      throw new DeviceError("no memory", { outOfMemory: true });
    },
  });
  return { engine, sorted };
}

async function sort(engine: CpuEngine, changes: Partial<SortItemsOptions> = {}) {
  const items = await raw.open(byteInput("keys.u32", new Uint8Array(keys.buffer)), {});
  const file = memoryFile();
  const writer: KeySink & { finish(): Promise<void> } = { write: file.write, finish: async () => {} };
  const opened = { engine, notice: undefined, device: undefined, hardware: true };
  const inputs = { items, each: [items], files: [], checkUnchanged: async () => {}, close: async () => {} };
  const { report } = await sortItems(inputs, writer, opened, { ...options, ...changes });
  return { report, sorted: new Uint32Array(file.bytes().buffer) };
}

describe("a device whose memory ends", () => {
  it.each([
    [5000, [5000], undefined],
    [2000, [5000, 1250], 4],
    [400, [5000, 1250, 313], 16],
    [100, [5000, 1250, 313, 79], 64],
  ])("before more than %i keys is given less at a time", async (most, first, runs) => {
    const { engine, sorted } = smallDevice(most);
    const { report, sorted: result } = await sort(engine);
    expect(result).toEqual(keys.slice().sort());
    expect(report.external?.runs).toBe(runs);
    expect([...new Set(sorted)].slice(0, first.length)).toEqual(first);
  });

  it("for whatever it is given is told", async () => {
    await expect(sort(smallDevice(0).engine)).rejects.toThrow("no memory");
  });

  it("after something was written is told, and not tried again", async () => {
    const { engine, sorted } = smallDevice(100, true);
    await expect(sort(engine)).rejects.toThrow("no memory");
    expect(sorted).toEqual([5000]);
  });
});

describe("what is done", () => {
  const elements = elementType("u32").bytes * keys.length;

  it.each([
    ["at once where it fits", {}, undefined],
    ["at once where it just fits what it may use", { memoryBytes: 2 * elements }, undefined],
    ["out of core where it does not", { memoryBytes: 2 * elements - 1 }, 3],
  ])("is to sort %s", async (_, changes, runs) => {
    const { report, sorted } = await sort(new CpuEngine(), changes);
    expect(sorted).toEqual(keys.slice().sort());
    expect(report.external?.runs).toBe(runs);
  });
});
