import { afterAll, it } from "vitest";
import { createSorter } from "../../src/index.js";
import { expectLexsorted } from "../support/lexsort_case.js";
import { describeOnDevice, selector } from "./device.js";

describeOnDevice(`lexsort on ${selector}`, async ({ gpu: { device } }) => {
  const sorter = await createSorter(device);
  afterAll(() => sorter.destroy());

  it("sorts by the last array, then by those before it, stably", async () => {
    for (const size of [1, 500, 3001]) {
      await expectLexsorted(sorter, ["u8", "f32"], size);
      await expectLexsorted(sorter, ["f32", "u8", "f32"], size, [true, false, true]);
    }
  });
});
