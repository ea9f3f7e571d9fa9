// npm run tune -- [--device auto] [--type u32] [--sizes 2^16,2^20,2^24] [--family group|serial]
//
// Builds, checks and times the radix sort with many tunings on one adapter, in one process, and prints a table for
// each size, fastest first, as Markdown. What comes out on top belongs into src/sort/radix_tuning.ts. On an NVIDIA GPU
// it takes about a second a variant, most of it compiling.
import { parseArgs } from "node:util";
import { randomKeys } from "../dist/bench/keys.js";
import { parseSize } from "../dist/bench/sizes.js";
import { median } from "../dist/bench/statistics.js";
import { openDevice } from "../dist/device/adapter.js";
import { elementType } from "../dist/elements.js";
import { DeviceJob } from "../dist/engines/device_job.js";
import { provenTraits } from "../dist/engines/lockstep.js";
import { checkTotals } from "../dist/sort/inspect.js";
import { radixPlan } from "../dist/sort/radix.js";
import { groupsFit } from "../dist/sort/radix_tuning.js";

const RUNS = 9;
const WARM_MS = 150;
const BUSY_MS = 20;

const { values } = parseArgs({
  options: {
    device: { type: "string", default: "auto" },
    type: { type: "string", default: "u32" },
    sizes: { type: "string", default: "2^16,2^20,2^24" },
    family: { type: "string" },
  },
});
const type = elementType(values.type);
const sizes = values.sizes.split(",").map((size) => parseSize(size, "--sizes"));
const opened = await openDevice(values.device);
if (!opened) throw new Error("there is no adapter to tune for");
const { gpu, adapter } = opened;
const traits = await provenTraits(gpu);
const family = values.family ?? (groupsFit(traits) ? "group" : "serial");
console.log(`radix, ${type.name}, ${family} family, on ${adapter.driver}; lockstep ${traits.lockstep}`);

function* tunings() {
  const subgroupSize = traits.subgroupSize.min;
  if (family === "serial") {
    for (const workgroupSize of [subgroupSize, 2 * subgroupSize, 4 * subgroupSize]) {
      for (const columns of [16, 32, 64, 128, 256]) yield { family, workgroupSize, columns, leastKeys: 128 };
    }
    return;
  }
  for (const workgroupSize of [256, 384, 512]) {
    for (const words of [4, 8, 12, 14, 18, 24, 32, 36]) {
      const tileKeys = Math.floor(words / type.words);
      for (const columns of [396, 528]) {
        for (const lockstep of new Set([traits.lockstep, false])) {
          yield { family, workgroupSize, subgroupSize, tileKeys, columns, lockstep };
        }
      }
    }
  }
}

async function time(keys, tuning) {
  const keyCount = keys.length;
  const job = { type, keyCount, descending: false, algorithm: "radix", verify: true };
  const onDevice = await DeviceJob.allocate(gpu, job, radixPlan(keyCount, type, job, traits, tuning), traits);
  try {
    await onDevice.prepare();
    const pristine = await onDevice.copyOfInput();
    const bytes = new Uint8Array(keys.buffer);
    for (let at = 0; at < bytes.length; at += 1 << 24) {
      const piece = bytes.subarray(at, at + (1 << 24));
      gpu.device.queue.writeBuffer(pristine, at, piece);
      gpu.device.queue.writeBuffer(onDevice.input, at, piece);
    }
    const before = await onDevice.inspectInput();
    const samples = [];
    const begin = performance.now();
    for (let repeats = 0; samples.length < RUNS || performance.now() - begin < WARM_MS; ) {
      const ms = await onDevice.sort(pristine, repeats);
      samples.push(ms);
      repeats = Math.min(60, Math.floor(BUSY_MS / ms));
    }
    checkTotals(keyCount, before, await onDevice.inspectResult(), adapter.driver);
    const last = samples.slice(-RUNS);
    return { ms: median(last), least: Math.min(...last) };
  } finally {
    onDevice.destroy();
  }
}

for (const keyCount of sizes) {
  const keys = randomKeys(type, keyCount, 1);
  const results = [];
  for (const tuning of tunings()) {
    try {
      results.push({ tuning, ...(await time(keys, tuning)) });
    } catch (error) {
      results.push({ tuning, ms: Number.POSITIVE_INFINITY, failure: error.message });
    }
  }
  results.sort((a, b) => a.ms - b.ms);
  console.log(`\n| ${keyCount} keys | median ms | least ms | Gkeys/s |\n| --- | ---: | ---: | ---: |`);
  for (const { tuning, ms, least, failure } of results) {
    const { family: _, subgroupSize: __, ...shown } = tuning;
    const name = Object.entries(shown)
      .map(([key, value]) => `${key} ${value}`)
      .join(", ");
    const cells = failure
      ? ["", "", failure.slice(0, 60)]
      : [ms.toFixed(4), least.toFixed(4), (keyCount / ms / 1e6).toFixed(2)];
    console.log(`| ${name} | ${cells.join(" | ")} |`);
  }
}
process.exit(0);
