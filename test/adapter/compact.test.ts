import { it } from "vitest";
import { elementType } from "../../src/core/elements.js";
import { bindable, compactSizes, expectFirsts, FEW_BYTES } from "../support/compact_case.js";
import { runFenced } from "../support/fenced.js";
import { describeOnDevice, selector } from "./device.js";

describeOnDevice(`a compaction on ${selector}`, ({ gpu }) => {
  it.each(["u8", "i16", "u32", "f32", "i64", "f64"])(
    "keeps the first of equal keys, in any chunks and windows: %s",
    async (name) => {
      for (const traits of [gpu.traits, bindable(gpu.traits, FEW_BYTES)]) {
        for (const distribution of ["few values", "specials", "distinct"]) {
          for (const size of compactSizes) {
            const descending = size % 2 === 1;
            await expectFirsts(
              (plan, inputs) => runFenced(gpu, plan, inputs),
              elementType(name),
              distribution,
              size,
              descending,
              traits,
            );
          }
        }
      }
    },
  );
});
