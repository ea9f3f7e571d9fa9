import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { withCostTable } from "../../scripts/cost_table.js";
import { elementType } from "../../src/core/elements.js";
import { planBytes } from "../../src/core/plan/plan.js";
import { defaultTraits } from "../../src/core/plan/traits.js";
import { radixPlan } from "../../src/core/sort/radix/radix.js";
import { passesByCondition, trafficBytes } from "../../src/core/sort/traffic.js";

it("docs/kernels.md has the table that node scripts/cost_table.js makes of the plans", () => {
  const text = readFileSync(new URL("../../docs/kernels.md", import.meta.url), "utf8");
  const core = { defaultTraits, elementType, planBytes, radixPlan, trafficBytes, passesByCondition };
  expect(text).toBe(withCostTable(text, core));
});
