import fc from "fast-check";
import { expect, it } from "vitest";
import { parseRowOrder } from "../../src/commands/line_keys.js";
import { GpuRows } from "../../src/core/engines/gpu_rows.js";
import { deviceKeys, unsuitedForDevice } from "../../src/rows/device_rows.js";
import { deviceOrder } from "../../src/rows/order_words.js";
import type { RowOrder } from "../../src/rows/row_order.js";
import { RowSource } from "../../src/rows/row_source.js";
import { sortPlainly } from "../support/plain_rows.js";
import { lineKey, someRows } from "../support/row_cases.js";
import { rowInput } from "../support/row_inputs.js";
import { describeOnDevice, selector } from "./device.js";

const whole: RowOrder = { terminator: 10, separator: undefined, quotes: false, keys: [] };

describeOnDevice(`rows of text on ${selector}`, ({ gpu }) => {
  const engine = new GpuRows(gpu, selector);

  async function sorted(texts: readonly Buffer[], order: RowOrder, given: { verify?: boolean } = {}) {
    const source = await RowSource.open(
      texts.map((text) => rowInput(text)),
      { order, header: false },
    );
    const parts: Buffer[] = [];
    const job = {
      bytes: source!.byteLength,
      terminator: order.terminator,
      quote: order.quotes ? 34 : undefined,
      order: deviceOrder(order),
      keys: deviceKeys(order),
      verify: true,
      ...given,
    };
    const result = await engine.sort(job, source!, {
      write: async (from, offset) => {
        parts[offset] = Buffer.from(from);
      },
      end: async () => {},
    });
    return { result, text: Buffer.concat(Object.values(parts)) };
  }

  async function expectSorted(texts: readonly Buffer[], order: RowOrder) {
    const { result, text } = await sorted(texts, order);
    expect(result).not.toHaveProperty("gaveUp");
    expect(text.toString("latin1")).toBe(sortPlainly(texts, order).toString("latin1"));
  }

  it("are sorted as by the reference, by any keys that a device takes", async () => {
    const simple = lineKey.map((key) => key.replace(/[hgMfdi]/g, ""));
    let some = 0;
    await fc.assert(
      fc.asyncProperty(someRows, fc.array(simple, { maxLength: 3 }), async (given, keys) => {
        const { text, separator, zeroTerminated } = given;
        const order = parseRowOrder({ key: keys, fieldSeparator: separator, zeroTerminated }) ?? whole;
        expect(unsuitedForDevice(order, {})).toBeUndefined();
        if (text.length === 0) return;
        some++;
        await expectSorted([text], order);
      }),
      { numRuns: Number(process.env.GPUSORT_ROW_RUNS ?? 60) },
    );
    expect(some).toBeGreaterThan(10);
  });
});
