import { it } from "vitest";
import { elementType } from "../../src/core/elements.js";
import { compactTuning } from "../../src/core/sort/select/compact_tuning.js";
import { bindable, compactSizes, expectFirsts, FEW_BYTES } from "../support/compact_case.js";
import { runFenced } from "../support/fenced.js";
import { expectRunsOf, plainHardware, runLengths, uniqueSizes } from "../support/unique_case.js";
import { describeOnDevice, fewerOnLavapipe, selector } from "./device.js";

describeOnDevice(`a compaction on ${selector}`, ({ gpu }) => {
  it.each(fewerOnLavapipe(["u8", "i16", "u32", "f32", "i64", "f64"], ["u32", "i64"]))(
    "keeps the first of equal keys, in any chunks and windows: %s",
    async (name) => {
      const hardware = { ...gpu.traits, software: false };
      for (const traits of [gpu.traits, bindable(hardware, FEW_BYTES)]) {
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

  it.each(fewerOnLavapipe(["u16", "u32", "f64"], ["u16"]))(
    "finds how long runs are, in any tiles, chunks and windows: %s",
    async (name) => {
      const type = elementType(name);
      const hardware = { ...gpu.traits, software: false };
      const kinds = [
        gpu.traits,
        hardware,
        plainHardware(gpu.traits),
        bindable(gpu.traits, FEW_BYTES),
        bindable(hardware, FEW_BYTES),
      ];
      let turn = 0;
      for (const lengths of Object.values(runLengths)) {
        for (const size of uniqueSizes) {
          const descending = turn % 2 === 1;
          // The device counts some of the keys, or the plan does.
          const count = [undefined, size - 1, Math.floor(size / 2), size, 0, size + 1, undefined][turn % 7];
          const traits = kinds[turn % kinds.length]!;
          const best = compactTuning(type, traits);
          // Several vectors of keys in registers, and a scan.
          const several = { keysPerInvocation: 2 * best.keysPerInvocation, alignment: 1, sumsChunks: false };
          const tuning = turn % 10 === 1 ? { ...best, ...several } : best;
          await expectRunsOf((plan, inputs) => runFenced(gpu, plan, inputs), type, lengths(size), traits, {
            descending,
            tuning,
            ...(count === undefined ? {} : { count }),
          });
          turn++;
        }
      }
    },
  );

  it("finds the runs of chunks of several tiles", async () => {
    const run: Parameters<typeof expectRunsOf>[0] = (plan, inputs) => runFenced(gpu, plan, inputs);
    for (const type of ["u32", "u64"].map(elementType)) {
      for (const lengths of Object.values(runLengths)) {
        for (const size of [2 ** 17 + 2 ** 16, 2 ** 18 + 1]) {
          await expectRunsOf(run, type, lengths(size), { ...gpu.traits, software: true });
        }
      }
    }
    // Hardware has more chunks, so that it takes more keys.
    for (const traits of [{ ...gpu.traits, software: false }, plainHardware(gpu.traits)]) {
      await expectRunsOf(run, elementType("u32"), runLengths["short and long runs"]!(3_700_003), traits);
    }
  });
});
