import { describe, expect, it } from "vitest";
import type { DeviceChoice } from "../../src/auto/open.js";
import { explainText } from "../../src/report/explain.js";
import type { Strategy } from "../../src/sort/strategy.js";

const inMemory: Strategy = { kind: "in memory", itemCount: 1000, smallerChunks: [] };

function explain(deviceChoice: DeviceChoice, device: string, strategy = inMemory, threads?: number): string {
  return explainText({ device, threads, deviceChoice, notice: undefined, strategy });
}

describe("--explain", () => {
  it.each<[DeviceChoice, string]>([
    [{ reason: "asked" }, "CPU: chosen by --device or --algorithm\n"],
    [{ reason: "unknown" }, "CPU: it sorts as fast as the input comes, whose length is not known\n"],
    [
      { reason: "no GPU" },
      "CPU: this machine has no GPU, and no software adapter sorts faster than the CPU\n",
    ],
    [{ reason: "no GPU", problem: "it is broken" }, "CPU: no GPU could be opened: it is broken\n"],
    [{ reason: "rows" }, "CPU: rows of text are sorted on the CPU\n"],
    [
      { reason: "rows", why: "duplicates are dropped" },
      "CPU: rows of text are sorted on the CPU, as duplicates are dropped\n",
    ],
    [
      { reason: "rows estimate", cpuSeconds: 1.4, gpuSeconds: 0.8 },
      "CPU, by an estimate for rows of text:\n  the CPU takes about 1.40 s\n  a GPU takes about 800 ms\n",
    ],
    [
      { reason: "few keys", keyCount: 1000 },
      "CPU: it sorts up to 1,000 keys faster than a GPU can be opened\n",
    ],
    [
      { reason: "estimate", type: "u32", cpuSeconds: 0.5, gpuSeconds: 0.6 },
      [
        "CPU, by an estimate:\n  the CPU takes about 500 ms\n  a GPU takes about 600 ms, ",
        "most of it to be opened and to get the keys\n",
      ].join(""),
    ],
  ])("explains %j: %s", (choice, text) => {
    expect(explain(choice, "CPU")).toContain(text);
  });

  it.each([
    [1, "CPU, on one thread: chosen"],
    [16, "CPU, on up to 16 threads: chosen"],
  ])("says that up to %i threads of the CPU sort", (threads, text) => {
    expect(explain({ reason: "asked" }, "CPU", inMemory, threads)).toContain(text);
  });

  it.each<[Strategy, string]>([
    [inMemory, "all 1,000 items at once: they fit in memory\n"],
    [
      { ...inMemory, selected: { unique: true } },
      "they fit in memory; the device selects the distinct items\n",
    ],
    [{ ...inMemory, selected: { head: 1234 } }, "; the device selects the first 1,234 items\n"],
    [
      { ...inMemory, selected: { unique: true, head: 1 } },
      "; the device selects the first 1 distinct items\n",
    ],
    [{ kind: "indices in memory", itemCount: 9 }, "the indices of all 9 keys at once: they fit in memory\n"],
    [{ kind: "top k", count: 5, candidates: 99 }, "one pass over all items, which keeps the first 5\n"],
    [{ kind: "out of core", chunkItems: 5000 }, "out of core, in chunks of 5,000 items\n"],
    [{ kind: "merge", runs: 3, chunkItems: 70 }, "a merge of 3 sorted inputs, in buckets of 70 items\n"],
  ])("says how the strategy %j sorts", (strategy, text) => {
    expect(explain({ reason: "asked" }, "CPU", strategy)).toMatch(text);
  });
});
