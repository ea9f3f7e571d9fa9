import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect } from "vitest";
import { sortFile } from "../../../src/sort/sort_file.js";
import type { SortFileOptions } from "../../../src/sort/sort_options.js";
import { TableOracle, withPyarrow } from "../../support/pyarrow.js";

interface Case {
  readonly inputs: readonly string[];
  readonly options: SortFileOptions & { readonly head: number | null };
}

/** How many random sorts run: each takes a third of a second. Each run of the tests takes other ones. */
const CASES = 30;
const seed = Number(process.env.GPUSORT_SEED ?? Date.now() % 1_000_000_000);

withPyarrow.describe("random Parquet files", () => {
  const root = mkdtempSync(join(tmpdir(), "gpusort-tables-"));
  const oracle = new TableOracle();
  afterAll(() => {
    oracle.close();
    rmSync(root, { recursive: true });
  });

  withPyarrow.it(`are sorted as Python sorts them, from seed ${seed} on`, async () => {
    for (let i = 0; i < CASES; i++) {
      const folder = mkdtempSync(join(root, "year=2020 "));
      const test = await oracle.ask<Case>({ make: folder, seed: seed + i });
      const { head, ...options } = test.options;
      const output = options.argsort ? "out.npy" : "out.parquet";
      const inputs = test.inputs.map((name) => join(folder, name));
      const summary = await sortFile(inputs, join(folder, output), { ...options, head: head ?? undefined });
      expect(summary.verified).toBe(true);
      const { problem } = await oracle.ask<{ problem: string | null }>({ check: folder, case: test, output });
      expect(problem, `seed ${seed + i}: ${JSON.stringify(test)}`).toBeNull();
      rmSync(folder, { recursive: true });
    }
  });
});
