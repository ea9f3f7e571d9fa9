import { expect, it } from "vitest";
import { dawnOptions } from "../../src/dawn/adapter.js";

// Dawn ignores an option that it does not know, and then compiles seconds longer on SwiftShader.
it("the options for Dawn have the names that webgpu documents, and turn off what costs time", () => {
  const toggles = dawnOptions.map((option) => /^(enable|disable)-dawn-features=([a-z_,]+)$/.exec(option)!);
  const named = toggles.flatMap(([, verb, names]) => names!.split(",").map((name) => `${verb} ${name}`));
  expect(named).toEqual([
    "disable timestamp_quantization",
    "enable disable_workgroup_init",
    ...(process.env.GPUSORT_ROBUSTNESS === "on" ? [] : ["enable disable_robustness"]),
  ]);
});
