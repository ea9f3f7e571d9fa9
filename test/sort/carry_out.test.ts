import { tmpdir } from "node:os";
import { describe, expect, it } from "vitest";
import { elementType } from "../../src/core/elements.js";
import { CpuEngine } from "../../src/core/engines/cpu.js";
import { DeviceError } from "../../src/core/errors.js";
import { keyItem } from "../../src/core/items/item.js";
import { ProgressMeter } from "../../src/core/streams/progress.js";
import { raw } from "../../src/formats/raw.js";
import { carryOutStrategy } from "../../src/sort/carry_out.js";
import { KeySorter } from "../../src/sort/items/key_sorter.js";
import { byteInput } from "../support/bytes.js";
import { memoryFile } from "../support/memory_file.js";

const keys = Uint32Array.from({ length: 5000 }, (_, i) => Math.imul(i, 0x9e3779b1));

/** An engine whose device has memory for at most `maxKeys` keys, but does not tell. */
function smallDevice(maxKeys: number, writesFirst = false) {
  const sorted: number[] = [];
  const engine = Object.assign(new CpuEngine(), {
    sort: async (...args: Parameters<CpuEngine["sort"]>) => {
      const [job, , sink] = args;
      sorted.push(job.keyCount);
      if (job.keyCount <= maxKeys) return new CpuEngine().sort(...args);
      if (writesFirst) await sink.write(new Uint8Array(4), 0);
      throw new DeviceError("no memory", { outOfMemory: true });
    },
  });
  return { engine, sorted };
}

async function sortInMemory(engine: CpuEngine) {
  const items = await raw.open(byteInput("keys.u32", new Uint8Array(keys.buffer)), {});
  const file = memoryFile();
  const report = await carryOutStrategy(
    { kind: "in memory", itemCount: keys.length, smallerChunks: [1250, 313, 79] },
    {
      items,
      inputs: [items],
      sorter: new KeySorter(engine, keyItem(elementType("u32")), {
        descending: false,
        algorithm: "auto",
        verify: true,
      }),
      device: "test",
      sink: file,
      writtenBytes: 4 * keys.length,
      unique: false,
      descending: false,
      verify: true,
      temporaryFolder: tmpdir(),
      progress: new ProgressMeter(),
    },
  );
  return { report, sorted: new Uint32Array(file.bytes().buffer) };
}

describe("a device that runs out of memory", () => {
  it.each([
    [5000, [5000], undefined],
    [2000, [5000, 1250], 4],
    [400, [5000, 1250, 313], 16],
    [100, [5000, 1250, 313, 79], 64],
  ])("with more than %i keys gets smaller chunks", async (maxKeys, first, runs) => {
    const { engine, sorted } = smallDevice(maxKeys);
    const { report, sorted: result } = await sortInMemory(engine);
    expect(result).toEqual(keys.slice().sort());
    expect(report.external?.runs).toBe(runs);
    expect([...new Set(sorted)].slice(0, first.length)).toEqual(first);
  });

  it("with chunks of every size causes an error", async () => {
    await expect(sortInMemory(smallDevice(0).engine)).rejects.toThrow("no memory");
  });

  it("after something was written causes an error, without another attempt", async () => {
    const { engine, sorted } = smallDevice(100, true);
    await expect(sortInMemory(engine)).rejects.toThrow("no memory");
    expect(sorted).toEqual([5000]);
  });
});
