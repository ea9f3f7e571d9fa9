import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { kernelsDigest, version } from "../build.generated.js";
import type { Gpu } from "../core/device/gpu.js";
import { provenTraits } from "../core/engines/lockstep.js";
import type { DeviceTraits } from "../core/plan/traits.js";
import { subgroupsFit } from "../core/sort/radix/radix_tuning.js";
import { cacheFolder, makeFolder, readOwnFile, replaceOwnFile } from "../files/own_files.js";
import type { AdapterSummary } from "./choose_adapter.js";

type Found = Pick<DeviceTraits, "subgroups" | "lockstep" | "parallelProgress" | "testedSubgroupSize">;

/** What a test can have confirmed, by the word that stands in the file. */
const results: Record<string, Found> = {
  "grid barrier": { subgroups: true, lockstep: true, parallelProgress: true },
  subgroups: { subgroups: true, lockstep: false },
  neither: { subgroups: false, lockstep: false },
  ...Object.fromEntries(
    [1, 2, 4, 8, 16, 32, 64].map((size) => [
      `subgroups of ${size}`,
      { subgroups: true, lockstep: false, testedSubgroupSize: size },
    ]),
  ),
};

/**
 * The word for what a test has confirmed; undefined if it may confirm more another time, as a busy device may
 * run too few workgroups at a time to test the grid barrier.
 */
function wordFor({ subgroups, lockstep, parallelProgress, testedSubgroupSize }: Found): string | undefined {
  if (!subgroups) return "neither";
  if (lockstep) return parallelProgress ? "grid barrier" : undefined;
  return testedSubgroupSize === undefined ? "subgroups" : `subgroups of ${testedSubgroupSize}`;
}

const MAX_BYTES = 64;

/**
 * The traits that a test on the device confirms, as `provenTraits` returns them. The result is kept in the
 * user's cache, as the test takes 40 ms, and is valid for this driver and these kernels. Destroys the device
 * if the test fails.
 */
export async function testedTraits(gpu: Gpu, adapter: AdapterSummary): Promise<DeviceTraits> {
  if (!subgroupsFit(gpu.traits)) return gpu.traits; // nothing to test
  const path = join(cacheFolder(), `tested-${hash(adapter)}`);
  const kept = readOwnFile(path, MAX_BYTES)?.toString("utf8").trim();
  if (kept !== undefined && Object.hasOwn(results, kept)) return { ...gpu.traits, ...results[kept] };
  const tested = await provenTraits(gpu).catch((error) => {
    gpu.destroy();
    throw error;
  });
  const word = wordFor(tested);
  if (word === undefined) return tested;
  try {
    makeFolder(dirname(path));
    replaceOwnFile(path, `${word}\n`);
  } catch {
    // the next run tests again
  }
  return tested;
}

/** Tells apart everything that the test's result depends on. */
function hash({ name, vendor, architecture, driver, backend, features }: AdapterSummary): string {
  const adapter = [name, vendor, architecture, driver, backend, features];
  return createHash("sha256")
    .update(JSON.stringify([version, adapter, kernelsDigest]))
    .digest("hex")
    .slice(0, 16);
}
