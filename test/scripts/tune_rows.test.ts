import { describe, expect, it } from "vitest";
import { kinds, searchRows, sizes } from "../../bench/tune_rows.js";
import { elementType } from "../../src/core/elements.js";
import { radixTuning } from "../../src/core/sort/radix/radix.js";
import { nvidiaTraits as traits } from "../support/limits.js";

type Cell = Parameters<typeof searchRows>[0][number];
type Time = Parameters<typeof searchRows>[2];
type Found = { table: string; row?: string | undefined } & Record<string, unknown>;

async function search(cells: Cell[], time: Time, minutes = 1): Promise<Found[]> {
  const found: Found[] = [];
  await searchRows(cells, traits, time, minutes, ({ table, row }, { tuning, ...rest }) => {
    found.push({ table, row: tuning && row(tuning), ...rest });
  });
  return found;
}

const cell = (keyCount: number, name = "u32", payload: Cell["payload"] = 0) => ({
  type: elementType(name),
  payload,
  keyCount,
});

describe("the search of rows for the tuning tables", () => {
  it("finds a row that is faster in two respects", async () => {
    // Digits of 7 bits and tiles of 512 invocations are best; the table has neither.
    const time: Time = async (_, __, { msd }) =>
      10 + Math.abs(msd!.digitBits - 7) + Math.abs(msd!.workgroupSize - 512) / 512;
    const [oneLevel] = await search([cell(2 ** 18)], time);
    expect(oneLevel).toMatchObject({
      table: "oneLevel in src/core/sort/msd/msd_tuning.ts",
      failed: 0,
      isCut: false,
    });
    expect(oneLevel!.row).toMatch(
      /^\{ digitBits: 7, workgroupSize: 512, .*, local: msdLocals\[\d+\], columns: \d+ \},$/,
    );
  });

  it("keeps the rows of the tables where no other is faster, for all kinds and sizes", async () => {
    const cells = kinds.flatMap(({ type, payload }) => sizes.map((count) => cell(count, type, payload)));
    const names = new Set<string>();
    for (const { table, row, failed, isCut } of await search(cells, async () => 1)) {
      names.add(table.split(" ")[0]!);
      expect({ row, failed, isCut }).toEqual({ row: undefined, failed: 0, isCut: false });
    }
    expect([...names].sort()).toEqual([
      "fallbackTiles[1],",
      "fallbackTiles[2],",
      "longTiles",
      "oneLevel",
      "shortTiles",
      "stableLevels",
      "subgroupRows.keys[1]",
      "subgroupRows.keys[2]",
      "subgroupRows.values[1]",
    ]);
  });

  it("times each tuning as its row would be taken", async () => {
    const seen: [number, boolean, boolean, boolean][] = [];
    const time: Time = async (_, dist, { msd }) => {
      const { digitBits, fallback, samples, columns } = msd!;
      if (dist === "uniform")
        seen.push([digitBits, fallback !== undefined, samples !== undefined, columns < 256]);
      return 1 / digitBits;
    };
    const [oneLevel] = await search([cell(2 ** 18)], time);
    expect(oneLevel!.row).toContain("digitBits: 9");
    // Digits of more than 8 bits have chunks of their own: no fallback in one dispatch, but a sample.
    for (const one of seen) expect(one).toEqual([one[0], one[0] <= 8, one[0] > 8, true]);
    expect(new Set(seen.map(([bits]) => bits))).toEqual(new Set([7, 8, 9]));
  });

  it("says how many failed, and that time did not suffice", async () => {
    const given = radixTuning(2 ** 20, elementType("u32"), traits);
    const time: Time = async (_, __, tuning) => {
      if (JSON.stringify(tuning) !== JSON.stringify(given)) throw new Error("sorted wrongly");
      return 1;
    };
    const [first] = await search([cell(2 ** 20)], time);
    expect(first!.failed).toBe((first!.tried as number) - 1);
    expect(await search([cell(2 ** 20)], async () => 1, 0)).toEqual([
      expect.objectContaining({ tried: 1, isCut: true }),
      expect.objectContaining({ tried: 1, isCut: true }),
    ]);
  });

  it("tries no row twice, and offers none that was fast only once", async () => {
    const times = new Map<string, number>();
    const time: Time = async (_, dist, { msd }) => {
      if (dist !== "uniform") return 1;
      const { digitBits, workgroupSize, keysPerInvocation, columns, local } = msd!;
      const row = JSON.stringify([digitBits, workgroupSize, keysPerInvocation, columns, local]);
      times.set(row, (times.get(row) ?? 0) + 1);
      return 1 / times.size; // so each new one seems faster
    };
    const [oneLevel] = await search([cell(2 ** 18)], time);
    expect(oneLevel!.row).toBeUndefined();
    // The table's row and the best one are timed twice more, in turns.
    expect([...times.values()].filter((count) => count > 1)).toEqual([3, 3]);
  });

  it("offers no row that gains in one of the last turns only", async () => {
    let timings = 0;
    const slowFrom =
      (count: number): Time =>
      async (_, dist, { msd }) => {
        if (dist !== "uniform" || msd!.digitBits !== 9) return 1;
        return ++timings < count ? 0.5 : 1;
      };
    const rowIf = async (time: Time) => {
      timings = 0;
      return (await search([cell(2 ** 18)], time))[0]!.row;
    };
    expect(await rowIf(slowFrom(1000))).toContain("digitBits: 9");
    const all = timings;
    expect(await rowIf(slowFrom(all))).toBeUndefined();
    expect(await rowIf(slowFrom(all - 1))).toBeUndefined();
  });

  it("fails if the table's own row does", async () => {
    const failing = search([cell(2 ** 24)], () => Promise.reject(new Error("the device was lost")));
    await expect(failing).rejects.toThrow("the device was lost");
  });
});
