import { describe, expect, it } from "vitest";
import type { Strategy } from "../../src/external/strategy.js";
import type { DeviceChoice } from "../../src/profile/open.js";
import { explainText } from "../../src/report/explain.js";

const forecast: DeviceChoice = {
  reason: "forecast",
  cpuSeconds: 0.234,
  gpuSeconds: 0.0501,
  openSeconds: 0.03,
  firstSeconds: 0.02,
  adapter: "Some GPU",
  crossover: 123_456,
  path: "/cache/profile.json",
  profiledSeconds: undefined,
  measuredAt: "2026-11-21T01:02:03.000Z",
};

const atOnce: Strategy = { kind: "at once", itemCount: 1000, smallerChunks: [] };

function explain(deviceChoice: DeviceChoice, device: string, strategy = atOnce): string {
  return explainText({ device, deviceChoice, notice: undefined, strategy });
}

describe("--explain", () => {
  it("gives the forecast, its parts and the file of the profile", () => {
    expect(`\n${explain(forecast, "Some GPU")}`).toMatchInlineSnapshot(`
      "
      Some GPU, by the forecast:
        the CPU takes about 234 ms
        Some GPU takes about 50.1 ms,
          which includes 30.0 ms to open it and 20.0 ms to compile its kernels
        so the adapter is faster from 123,456 keys on
        the profile was measured on 2026-11-21: /cache/profile.json
      all 1,000 items at once: they fit in memory
      "
    `);
  });

  it("says if the profile is new, if it could not be saved, and if the adapter is never faster", () => {
    const { path: _, ...unkept } = forecast;
    const now = { ...unkept, path: undefined, profiledSeconds: 0.9, crossover: undefined };
    expect(`\n${explain(now, "CPU")}`).toMatchInlineSnapshot(`
      "
      CPU, by the forecast:
        the CPU takes about 234 ms
        Some GPU takes about 50.1 ms,
          which includes 30.0 ms to open it and 20.0 ms to compile its kernels
        so the adapter is never faster
        the profile was measured just now, in 900 ms, but it could not be saved
        the adapter is already open, so opening it no longer counts
      all 1,000 items at once: they fit in memory
      "
    `);
  });

  it.each<[DeviceChoice, string]>([
    [{ reason: "asked" }, "CPU: chosen by --device or --algorithm\n"],
    [
      { reason: "unknown" },
      "CPU: the first adapter, because the number or type of keys is unknown before the sort\n",
    ],
    [{ reason: "no adapter" }, "CPU: no adapter was opened\n"],
    [
      { reason: "few keys", keyCount: 1000 },
      "CPU: it sorts 1,000 keys faster than an adapter can be opened\n",
    ],
  ])("explains %j: %s", (choice, text) => {
    expect(explain(choice, "CPU")).toContain(text);
  });

  it.each<DeviceChoice>([{ reason: "no adapter" }, { reason: "unknown" }])(
    "does not repeat the notice that there is no adapter: %j",
    (deviceChoice) => {
      const notice = "no GPU adapter was found";
      expect(explainText({ device: "CPU", deviceChoice, notice, strategy: atOnce })).toMatch(/^all 1,000/);
    },
  );

  it.each<[Strategy, string]>([
    [atOnce, "all 1,000 items at once: they fit in memory\n"],
    [{ kind: "indices at once", itemCount: 9 }, "the indices of all 9 keys at once: they fit in memory\n"],
    [{ kind: "top k", count: 5, candidates: 99 }, "one pass over all items, which keeps the first 5\n"],
    [{ kind: "out of core", chunkItems: 5000 }, "out of core, in chunks of 5,000 items\n"],
    [{ kind: "merge", runs: 3, chunkItems: 70 }, "a merge of 3 sorted inputs, in buckets of 70 items\n"],
  ])("says how the strategy %j sorts", (strategy, text) => {
    expect(explain({ reason: "asked" }, "CPU", strategy)).toMatch(text);
  });
});
