import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProgram } from "../../src/core/cpu/program.js";
import { firstRowDisorder } from "../../src/rows/check.js";
import type { RowOrder } from "../../src/rows/order/row_order.js";
import type { RowKernel } from "../../src/rows/row_kernels.js";
import { sortRows } from "../../src/rows/sort_rows.js";
import { KernelThreads } from "../../src/threads/kernel_threads.js";
import { memoryFile } from "../support/memory_file.js";
import { rowInput } from "../support/row_inputs.js";

const folder = mkdtempSync(join(tmpdir(), "gpusort-misread-"));
const tools = new KernelThreads(1);
afterAll(() => {
  tools.close();
  rmSync(folder, { recursive: true });
});

/** The kernels of rows, which lose what overflows where digits are read eight at a time. */
let misreading: KernelProgram<RowKernel>;

beforeAll(async () => {
  const assembly = join(folder, "assembly");
  cpSync(fileURLToPath(new URL("../../assembly", import.meta.url)), assembly, { recursive: true });
  const numbers = join(assembly, "rows", "numbers.ts");
  const source = readFileSync(numbers, "utf8");
  const without = source.replace(" || length + fraction > WORD_DIGITS", "");
  expect(without).not.toBe(source);
  writeFileSync(numbers, without);
  const { assemble } = await import(new URL("../../scripts/assemble.js", import.meta.url).href);
  const text: string = await assemble(join(assembly, "rows"), "", "");
  const [, binary = ""] = /binary: string = "(.*)"/.exec(text) ?? [];
  const [, flagsAt = ""] = /memoryFlagsAt = (\d+)/.exec(text) ?? [];
  const [, names = ""] = /kernelNames = (\[.*\])/.exec(text) ?? [];
  misreading = new KernelProgram(JSON.parse(names) as RowKernel[], binary, Number(flagsAt));
}, 120_000);

const order: RowOrder = {
  terminator: 10,
  separator: 44,
  quotes: true,
  keys: [{ begin: { field: 0, offset: 0 }, end: { field: 0 }, compare: "number" }],
};
const [small, large] = ["907287463779606,1\n", "908303912000000.000001,2\n"];

const sorting = (text: string) =>
  sortRows(
    tools.runner(misreading),
    {
      inputs: [rowInput(Buffer.from(text))],
      order,
      header: false,
      unique: false,
      head: Number.POSITIVE_INFINITY,
      verify: true,
      memoryBytes: 1 << 28,
      createStore: async () => memoryFile(),
    },
    async () => {},
  );

it("numbers that are misread while they are sorted are noticed, as they are checked digit by digit", async () => {
  await expect(sorting(large + small)).rejects.toThrow("1 neighbours are out of order");
});

it("a check reads them digit by digit, too", async () => {
  const find = (text: string) =>
    firstRowDisorder(tools.runner(misreading), [rowInput(Buffer.from(text))], {
      order,
      header: false,
      memoryBytes: 1 << 28,
    } as never);
  expect(await find(small + large)).toBeUndefined();
  expect(await find(large + small)).toBeDefined();
});
