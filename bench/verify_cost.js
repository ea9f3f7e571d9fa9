// node bench/verify_cost.js [--device gpu] [--sizes 2000,5000,2^16,2^20] [--runs 50]
//
// Times `sort` of arrays of uniform u32 keys with the check of the result and without it, in turns, and prints a
// Markdown table: the medians in milliseconds, and their ratio.
import { parseArgs } from "node:util";
import { median } from "../dist/bench/statistics.js";
import { parseSize } from "../dist/commands/sizes.js";
import { elementType } from "../dist/core/elements.js";
import { createSorter } from "../dist/dawn/create_sorter.js";
import { distribution, generateKeys } from "../dist/testdata/distributions.js";

const { values } = parseArgs({
  options: {
    device: { type: "string", default: "gpu" },
    sizes: { type: "string", default: "2000,5000,2^16,2^20" },
    runs: { type: "string", default: "50" },
  },
});
const sorter = await createSorter(values.device);
// A sorter keeps the buffers of its last kind of sort, so each kind has one.
const plain = sorter.device ? await createSorter(sorter.device) : sorter;
console.log(`${sorter.name}, medians of ${values.runs}\n`);
console.log("| keys | verified, ms | not, ms | ratio |\n| ---: | ---: | ---: | ---: |");
for (const size of values.sizes.split(",").map((text) => parseSize(text, "--sizes"))) {
  const keys = generateKeys(distribution("uniform"), elementType("u32"), size, 1);
  /** @type {{ on: number[], off: number[] }} */
  const times = { on: [], off: [] };
  for (let run = -5; run < Number(values.runs); run++) {
    for (const verify of [true, false]) {
      const begin = performance.now();
      await (verify ? sorter : plain).sort(keys, { verify });
      if (run >= 0) times[verify ? "on" : "off"].push(performance.now() - begin);
    }
  }
  const [on, off] = [median(times.on), median(times.off)];
  console.log(`| ${size} | ${on.toFixed(3)} | ${off.toFixed(3)} | ${(on / off).toFixed(2)} |`);
}
if (plain !== sorter) plain.destroy();
sorter.destroy();
