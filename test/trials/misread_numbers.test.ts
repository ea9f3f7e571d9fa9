import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { KernelProgram } from "../../src/core/cpu/program.js";
import { firstRowDisorder } from "../../src/rows/check.js";
import type { RowKernel } from "../../src/rows/row_kernels.js";
import { KernelThreads } from "../../src/threads/kernel_threads.js";
import { rowInput } from "../support/row_inputs.js";
import { columnKey, sortTexts, table } from "../support/row_sorts.js";

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

const order = table(columnKey(0, "number"));
const [small, large] = ["907287463779606,1\n", "908303912000000.000001,2\n"];

const sorting = (text: string) =>
  sortTexts(tools, [Buffer.from(text)], order, { runner: tools.runner(misreading) });

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
