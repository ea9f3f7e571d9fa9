import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRowOrder } from "../../../src/commands/sort/line_keys.js";
import { FINDINGS_BYTES } from "../../../src/core/cpu/findings.js";
import { CallingThread } from "../../../src/core/cpu/runner.js";
import { writeJob } from "../../../src/core/cpu/sort/work.js";
import { elementForm } from "../../../src/core/cpu/workspace.js";
import { elementType } from "../../../src/core/elements.js";
import { defaultTraits } from "../../../src/core/plan/traits.js";
import { readRowTotals } from "../../../src/core/rows/inspect.js";
import type { RowKey, RowOrder } from "../../../src/rows/order/row_order.js";
import { RowBatch } from "../../../src/rows/row_batch.js";
import { type RowKernel, rowKernels } from "../../../src/rows/row_kernels.js";
import { ELEMENT_BYTES, RowWorkspace } from "../../../src/rows/workspace.js";
import { rowComparison, rowsOf, withoutMisfits } from "../../support/plain_rows.js";
import {
  deviceLineKey,
  longNumbers,
  someRows,
  someTable,
  tableOrder,
  withoutHex,
} from "../../support/row_cases.js";
import { rowSteps } from "../../support/row_plans.js";

const software = { ...defaultTraits, software: true };

const whole: RowOrder = { terminator: 10, separator: undefined, quotes: false, keys: [] };

/** A text of some rows, all of which end, with an order. */
const someText = fc
  .tuple(someRows, fc.array(deviceLineKey, { maxLength: 3 }))
  .map(([{ text: given, separator, zeroTerminated }, keys]) => {
    const text = withoutHex(given);
    const order = parseRowOrder({ key: keys, fieldSeparator: separator, zeroTerminated }) ?? whole;
    const ends = text.length > 0 && text.at(-1) === order.terminator;
    return { text: ends ? text : Buffer.concat([text, Buffer.of(order.terminator)]), order };
  });

/** Columns, also without some bytes or their case. */
const someColumns = fc
  .tuple(
    tableOrder("bytes", "decimal", "float", "date"),
    fc.constantFrom<Partial<RowKey>>(
      {},
      { foldCase: true },
      { ignore: "punctuation" },
      { foldCase: true, ignore: "nonprinting" },
    ),
  )
  .map(([order, mapped]) => ({
    ...order,
    keys: order.keys.map((key) => (key.compare === "bytes" ? { ...key, ...mapped } : key)),
  }));

/** The same with fields that may be in quotes. */
const someFields = (given?: Parameters<typeof someTable>[0]) =>
  fc
    .record({ text: someTable(given), order: someColumns })
    .map(({ text, order }) => ({ text: withoutMisfits(text, order), order }))
    .filter(({ text }) => text.length > 0);

/** The first words of all rows, as the CPU's kernels read them. */
async function wordsOnCpu(text: Buffer, order: RowOrder): Promise<BigUint64Array> {
  const runner = new CallingThread<RowKernel>(false, rowKernels);
  const space = new RowWorkspace(runner, order, false, 8 << 20);
  const batch = new RowBatch(space);
  space.reserve(space.at.text + text.length + 64);
  space.bytes(space.at.text, text.length).set(text);
  await batch.count(text.length);
  await batch.find();
  const { at, memory } = space;
  const { elements } = batch.places;
  const ordering = { bytes: ELEMENT_BYTES, bits: { begin: 0, end: 64 }, pairs: true };
  const job = { type: elementType("u64"), descending: false };
  writeJob(
    { job, form: elementForm(8, true), ordering, memory, at: { job: at.job, elements, keys: elements } },
    0,
  );
  space.bytes(at.findings, FINDINGS_BYTES).fill(0);
  runner.runSync("make_elements", [[elements, 0, batch.rows, 0, at.findings, at.reports, at.order, at.job]]);
  const all = new BigUint64Array(memory.buffer, elements, 2 * batch.rows);
  return all.filter((_, i) => i % 2 === 0);
}

describe("the kernels for rows, on the CPU", () => {
  it("read the words that the CPU's own kernels read", async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(someText, someFields({ doubled: false })), async ({ text, order }) => {
        const step = rowSteps(text, order, defaultTraits).find(({ name }) => name === "word 0 of key 0")!;
        const words = new BigUint64Array(step.results.first_words!.slice().buffer);
        expect([...words]).toEqual([...(await wordsOnCpu(text, order))]);
      }),
      { numRuns: 150 },
    );
  });

  it("find rows and the order of their words, and move rows to their places", () => {
    let ties = 0;
    fc.assert(
      fc.property(fc.oneof(someText, someFields()), fc.boolean(), ({ text, order }, isSoftware) => {
        const rows = rowsOf(text, order);
        const steps = rowSteps(text, order, isSoftware ? software : defaultTraits);
        const resultOf = (name: string) => steps.find((one) => one.name === name)!.results;
        expect(resultOf("find").starts![rows.length]).toBe(text.length);
        const compare = rowComparison(order);
        const words = new BigUint64Array(resultOf("first words").first_words!.slice().buffer);
        for (const [i, row] of rows.entries()) {
          const other = rows[(7 * i + 3) % rows.length]!;
          const otherWord = words[(7 * i + 3) % rows.length]!;
          if (words[i] !== otherWord) expect(compare(row, other) < 0).toBe(words[i]! < otherWord);
        }
        if (resultOf("ties").tie_total![0]! > 0) ties++;
        const { permutation } = (steps.find(({ name }) => name === "list ties left") ??
          steps.find(({ name }) => name === "list ties"))!.results;
        expect([...permutation!].sort((a, b) => a - b)).toEqual(rows.map((_, i) => i));
        const output = Buffer.from(resultOf("move").output!.slice().buffer).subarray(0, text.length);
        const moved = [...permutation!].map((row) =>
          Buffer.concat([rows[row]!, Buffer.of(order.terminator)]),
        );
        expect(output.equals(Buffer.concat(moved))).toBe(true);
        const [before, after] = [
          resultOf("inspect the text by starts").totals!,
          resultOf("inspect the output by places").totals!,
        ];
        expect(after.slice(0, 4)).toEqual(before.slice(0, 4));
        expect(before[3]).toBe(0);
        for (const part of rows.length > 1 ? ["later", "earlier"] : [])
          expect(resultOf(`inspect the text by ${part}_starts`).totals![3]).toBe(1);
        const inversions = rows.filter((row, i) => i > 0 && compare(rows[i - 1]!, row) > 0).length;
        expect(before[4]).toBe(inversions);
        const equal = rows.filter((row, i) => i > 0 && compare(rows[i - 1]!, row) === 0).length;
        expect(before[6]).toBe(equal);
      }),
      { numRuns: 150 },
    );
    expect(ties).toBeGreaterThan(50);
  });

  it("say of which numbers they do not know the order, as they have too many digits in common", () => {
    const key = { begin: { field: 0, offset: 0 }, compare: "decimal" } as const;
    const steps = rowSteps(longNumbers, { ...whole, keys: [key] }, defaultTraits);
    const resultOf = (name: string) => steps.find((one) => one.name === name)!.results;
    expect(readRowTotals(resultOf("inspect the output by places").totals!).unknown).toBe(1);
    const { distinct_sums, is_distinct } = resultOf("distinct rows");
    expect(readRowTotals(distinct_sums!).unknown).toBe(1);
    expect([...is_distinct!]).toEqual([1, 1, 1]);
  });
});
