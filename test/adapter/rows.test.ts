import fc from "fast-check";
import { expect, it, onTestFinished, vi } from "vitest";
import { DeviceSteps } from "../../src/core/engines/device_steps.js";
import type { Plan } from "../../src/core/plan/plan.js";
import { unsuitedForDevice } from "../../src/rows/device_rows.js";
import { runFenced } from "../support/fenced.js";
import { longNumbers } from "../support/row_cases.js";
import { rowSteps } from "../support/row_plans.js";
import { column, csv, manyFields, rowsOn, rowTexts, someTexts, whole } from "../support/rows_on_device.js";
import { describeOnDevice, selector } from "./device.js";

describeOnDevice(`rows of text on ${selector}`, ({ gpu }) => {
  const { sorted, expectSorted } = rowsOn(gpu, selector);

  it("are read, sorted, moved and inspected by kernels that do what those of the CPU do", async () => {
    const names = new Set<string>();
    const key = { begin: { field: 0, offset: 0 }, compare: "decimal" } as const;
    const example = { text: longNumbers, order: { ...whole, keys: [key] } };
    await fc.assert(
      fc.asyncProperty(someTexts, async ({ text, order }) => {
        const ended = Buffer.concat([text, Buffer.of(order.terminator)]);
        for (const { name, plan, inputs, results } of rowSteps(ended, order, gpu.traits)) {
          names.add(name);
          const actual = await runFenced(gpu, plan, inputs);
          for (const [buffer, words] of Object.entries(results))
            expect([buffer, [...actual[buffer]!.slice(0, words.length)]], name).toEqual([buffer, [...words]]);
        }
      }),
      { numRuns: 12, examples: [[example]] },
    );
    expect(names).toContain("inspect the output by places");
  });
  it.each(Object.keys(rowTexts))("are sorted byte by byte: %s", async (name) => {
    await expectSorted([rowTexts[name]!], whole);
    await expectSorted([rowTexts[name]!], { ...whole, terminator: 0 });
    const descending = { begin: { field: 0, offset: 0 }, compare: "bytes", descending: true } as const;
    await expectSorted([rowTexts[name]!], { ...whole, keys: [descending] });
  });
  it("may lie in several texts, of which the last row of each need not end", async () => {
    await expectSorted([Buffer.from("c\na"), Buffer.from(""), Buffer.from("b\n"), Buffer.from("a")], whole);
  });

  it("may have fields in quotes, across the bounds of words, vectors and chunks", async () => {
    const keys = [column(1, { compare: "decimal", invalid: "last" }), column(2, { descending: true })];
    await expectSorted([manyFields(1, 200_000)], { ...csv, keys });
    const long = Buffer.from(`b,"${"\n,".repeat(70_000)}"\na,"${'""\n'.repeat(50_000)}"\n,\n`);
    await expectSorted([long, manyFields(2, 20_000)], { ...csv, keys: [column(1), column(0)] });
    // A line break in quotes, the quote after it, and one that ends a row, around the ends of chunks.
    for (const end of [1 << 14, 1 << 15, 1 << 16]) {
      for (let shift = -6; shift <= 2; shift++) {
        const text = Buffer.from(`"${"x".repeat(end + shift)}\n",2\n"a\n",1\n`);
        await expectSorted([text], { ...csv, keys: [column(1)] });
      }
    }
  });
  it.each([{}, { unique: true, head: 2 }])(
    "run kernels that were compiled during the upload: %o",
    async (wanted) => {
      const compile = vi.spyOn(DeviceSteps.prototype, "compile");
      const run = vi.spyOn(DeviceSteps.prototype, "run");
      onTestFinished(() => void vi.restoreAllMocks());
      await sorted([Buffer.from("c\nb\na\nb\n")], whole, wanted);
      const kernelsOf = (plans: readonly Plan[]) =>
        plans.flatMap(({ passes }) => passes.map((pass) => JSON.stringify(pass.program)));
      const ran = kernelsOf(run.mock.calls.map(([plan]) => plan));
      expect(kernelsOf(compile.mock.calls[0]![0])).toEqual(expect.arrayContaining(ran));
    },
  );

  it("are sorted as by the reference, by any keys that a device takes, and all are written or the first", async () => {
    let some = 0;
    const someWanted = fc.record({
      unique: fc.boolean(),
      head: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(someTexts, someWanted, async ({ text, order }, wanted) => {
        expect(unsuitedForDevice(order, {})).toBeUndefined();
        if (text.length === 0) return;
        some++;
        await expectSorted([text], order, wanted);
      }),
      { numRuns: Number(process.env.GPUSORT_ROW_RUNS ?? 70) },
    );
    expect(some).toBeGreaterThan(10);
  });
});
