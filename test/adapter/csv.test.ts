import { readFileSync, writeFileSync } from "node:fs";
import { afterAll, expect } from "vitest";
import { sortFile } from "../../src/sort/sort_file.js";
import type { SortDecision } from "../../src/sort/sort_options.js";
import { Workplace } from "../support/command.js";
import { csvCases, csvCaseText, csvOptions, decoded, withPython } from "../support/csv_cases.js";
import { describeOnDevice, selector } from "./device.js";

/** Random tables. GPUSORT_CSV_CASES says how many of them there are, GPUSORT_SEED which ones. */
const CASES = Number(process.env.GPUSORT_CSV_CASES ?? (selector === "llvmpipe" ? 50 : 100));
const seed = Number(process.env.GPUSORT_SEED ?? 20_261_127);

const work = await Workplace.create();
afterAll(() => work.remove());

describeOnDevice(`CSV by columns on ${selector}`, (opened) => {
  opened.gpu.keepUntilExit(); // a sort closes its device, and a process opens only one

  withPython.it("is sorted as Python's csv and decimal do it, whatever the device can take", async () => {
    let onDevice = 0;
    for (const [number, one] of csvCases(seed, CASES, 1).entries()) {
      const what = csvCaseText(seed, number, one);
      const options = csvOptions(one);
      const inputs = one.inputs.map((text, i) => {
        writeFileSync(work.path(`in${i}.csv`), decoded(text));
        return work.path(`in${i}.csv`);
      });
      const output = work.path(one.separator === "\t" ? "out.tsv" : "out.csv");
      let decision: SortDecision | undefined;
      const sorted = sortFile(inputs, output, {
        ...options,
        device: selector,
        openDevice: async () => opened,
        onDecision: (made) => {
          decision = made;
        },
      });
      if (one.refused !== undefined) {
        await expect(sorted, what).rejects.toMatchObject({ name: "InputError" });
        continue;
      }
      await sorted;
      if (decision && decision.device !== "CPU") onDevice++;
      expect(`${what}\n${readFileSync(output)}`).toBe(`${what}\n${decoded(one.expected!)}`);
    }
    expect(onDevice).toBeGreaterThan(CASES / 10);
  });
});
