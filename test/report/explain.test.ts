import { describe, expect, it } from "vitest";
import type { Choice } from "../../src/profile/open.js";
import { explainText } from "../../src/report/explain.js";

const forecast: Choice = {
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

describe("--explain", () => {
  it("gives the forecast, its parts and where it is from", () => {
    expect(`\n${explainText(forecast, "Some GPU")}`).toMatchInlineSnapshot(`
      "
      Some GPU, by the forecast:
        the CPU takes about 234 ms
        Some GPU about 50.1 ms, of which opening it 30.0 ms and its first sort's kernels 20.0 ms
        so the adapter pays from 123,456 keys on
        the profile is of 2026-11-21: /cache/profile.json
      "
    `);
  });

  it("says so where the profile was made just now, could not be kept, and the adapter never pays", () => {
    const { path: _, ...unkept } = forecast;
    const now = { ...unkept, path: undefined, profiledSeconds: 0.9, crossover: undefined };
    expect(`\n${explainText(now, "CPU")}`).toMatchInlineSnapshot(`
      "
      CPU, by the forecast:
        the CPU takes about 234 ms
        Some GPU about 50.1 ms, of which opening it 30.0 ms and its first sort's kernels 20.0 ms
        so the adapter pays at no number of keys
        the profile was made just now, in 900 ms; as the device is open by now, opening it counts no more; it could not be kept
      "
    `);
  });

  it.each<[Choice, string]>([
    [{ reason: "asked" }, "CPU: as --device or --algorithm asks for\n"],
    [
      { reason: "unknown" },
      "CPU: the first adapter, as the number of keys or their type is not known beforehand\n",
    ],
    [{ reason: "no adapter" }, "CPU: there is no adapter\n"],
    [
      { reason: "few keys", keyCount: 1000 },
      "CPU: 1,000 keys are sorted before any adapter could be opened\n",
    ],
  ])("says of %j: %s", (choice, text) => {
    expect(explainText(choice, "CPU")).toBe(text);
  });
});
