import { expect, it } from "vitest";
import { runPlan } from "../../src/device/run.js";
import { elementTypes } from "../../src/elements.js";
import { radixPlan } from "../../src/sort/radix.js";
import type { RadixTuning } from "../../src/sort/radix_tuning.js";
import { difference, distributions } from "../support/keys.js";
import { describeOnDevice, opened, selector } from "./device.js";

/** Tunings that no table has, so that tiles, chunks and workgroups end where they like. */
const serial: RadixTuning = { family: "serial", workgroupSize: 4, columns: 7, leastKeys: 10 };
const group = (subgroupSize: number, lockstep: boolean): RadixTuning => ({
  family: "group",
  workgroupSize: 256,
  subgroupSize,
  tileKeys: 2,
  columns: 3,
  lockstep,
});

const traits = opened?.gpu.traits;
const subgroupSize = traits?.subgroupSize.min ?? 0;
/** A subgroup's counters take 1 KiB, and there are 256 / subgroupSize of them beside 4 KiB of keys. */
const groupsRun =
  traits?.subgroups === true &&
  (256 / subgroupSize) * 1024 + 6144 <= traits.limits.maxComputeWorkgroupStorageSize;
if (opened && !groupsRun) {
  process.stderr.write(
    `SKIPPED: radix of the group family on '${selector}': its subgroups of ${subgroupSize} need more workgroup memory\n`,
  );
}

/** Every key width, order and direction; a driver may take seconds for each of a group's unrolled kernels. */
const everyType = elementTypes.flatMap((type) => [false, true].map((descending) => ({ type, descending })));
const someTypes = everyType.filter(({ type, descending }) =>
  ["u32 false", "f32 true", "i64 false", "f64 true"].includes(`${type.name} ${descending}`),
);

const families = [
  { name: "serial", tuning: serial, runs: true, jobs: everyType },
  { name: "group", tuning: group(subgroupSize, false), runs: groupsRun, jobs: someTypes },
  { name: "group in lockstep", tuning: group(subgroupSize, true), runs: groupsRun, jobs: someTypes },
];

for (const { name, tuning, runs, jobs } of families) {
  if (opened && !runs) continue; // said above
  describeOnDevice(`radix of the ${name} family on ${selector}`, ({ gpu }) => {
    // A tile of the group family is 512 keys, and three chunks of one tile are 1536.
    const sizes = [2, 70, 71, 511, 512, 513, 1536, 1537, 5000];
    for (const { type, descending } of jobs) {
      it(`sorts ${type.name}, ${descending ? "descending" : "ascending"}`, async () => {
        for (const size of sizes) {
          for (const [distribution, make] of Object.entries(distributions)) {
            const keys = make(type, size);
            const plan = radixPlan(size, type, { descending }, gpu.traits, tuning);
            const output = await runPlan(gpu, plan, { keys: new Uint32Array(keys.buffer as ArrayBuffer) });
            const sorted = new type.array(output.buffer as ArrayBuffer, 0, size);
            expect(difference(keys, sorted, descending), `${size} ${distribution}`).toBeUndefined();
          }
        }
      });
    }
  });
}
