import fc from "fast-check";
import { expect, it, vi } from "vitest";
import { parseRowOrder } from "../../src/commands/line_keys.js";
import { DeviceSteps } from "../../src/core/engines/device_steps.js";
import { type DeviceRows, GpuRows } from "../../src/core/engines/gpu_rows.js";
import { VerifyError } from "../../src/core/errors.js";
import { deviceKeys, unsuitedForDevice } from "../../src/rows/device_rows.js";
import { deviceOrder } from "../../src/rows/order_words.js";
import type { RowKey, RowOrder } from "../../src/rows/row_order.js";
import { RowSource } from "../../src/rows/row_source.js";
import { runFenced } from "../support/fenced.js";
import { sortPlainly } from "../support/plain_rows.js";
import { lineKey, someRows } from "../support/row_cases.js";
import { rowInput } from "../support/row_inputs.js";
import { rowSteps } from "../support/row_plans.js";
import { describeOnDevice, selector } from "./device.js";

const whole: RowOrder = { terminator: 10, separator: undefined, quotes: false, keys: [] };

describeOnDevice(`rows of text on ${selector}`, ({ gpu }) => {
  const engine = new GpuRows(gpu, selector);

  async function sorted(
    texts: readonly Buffer[],
    order: RowOrder,
    { engine: own = engine, ...given }: Partial<DeviceRows> & { readonly engine?: GpuRows } = {},
  ) {
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
    const result = await own.sort(job, source!, {
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

  it("are read, sorted, moved and inspected by kernels that do what those of the CPU do", async () => {
    const key = lineKey.map((one) => one.replace(/[hgMfdi]/g, ""));
    const names = new Set<string>();
    await fc.assert(
      fc.asyncProperty(someRows, fc.array(key, { maxLength: 2 }), async (given, keys) => {
        const { text, separator, zeroTerminated } = given;
        const order = parseRowOrder({ key: keys, fieldSeparator: separator, zeroTerminated }) ?? whole;
        const ended = Buffer.concat([text, Buffer.of(order.terminator)]);
        for (const { name, plan, inputs, results } of rowSteps(ended, order, gpu.traits)) {
          names.add(name);
          const actual = await runFenced(gpu, plan, inputs);
          for (const [buffer, words] of Object.entries(results))
            expect([buffer, [...actual[buffer]!.slice(0, words.length)]], name).toEqual([buffer, [...words]]);
        }
      }),
      { numRuns: 12 },
    );
    expect(names).toContain("inspect the output");
  });

  const long = (letter: string, bytes: number) => letter.repeat(bytes);
  const texts: Record<string, Buffer> = {
    "one empty row": Buffer.from("\n"),
    "one byte": Buffer.from("x"),
    "empty rows, more than fit the memory of a tile": Buffer.from(`${"\n".repeat(30_000)}b\na`),
    "rows of one byte": Buffer.from("zyxwvutsrqponmlkjihgfedcba".split("").join("\n").repeat(900)),
    "bytes of all values": Buffer.from(Array.from({ length: 5000 }, (_, i) => (i * 7919) % 256)),
    "rows longer than tiles, and short ones": Buffer.from(
      [long("c", 70_000), "b", long("c", 8192), long("a", 8191), "", long("c", 70_001), "c", ""].join("\n"),
    ),
    "rows around every length of a word and of a vector": Buffer.from(
      Array.from({ length: 80 }, (_, i) => long(String.fromCharCode(97 + ((i * 7) % 26)), i)).join("\n"),
    ),
    "rows that begin alike": Buffer.from(
      Array.from({ length: 600 }, (_, i) => `the same beginning ${(i * 7919) % 40} ${(i * 31) % 7}`).join(
        "\n",
      ),
    ),
    "rows that are equal": Buffer.from("the same row again\n".repeat(300)),
    "rows with long equal parts": Buffer.from(
      Array.from(
        { length: 90 },
        (_, i) => `${long("a", 500 + 200 * (i % 3))}${i % 5}${long("b", 3000)}${i % 4}`,
      ).join("\n"),
    ),
    "rows with carriage returns": Buffer.from("b\r\na\r\n\r\nab\r\n"),
  };
  it.each(Object.keys(texts))("are sorted byte by byte: %s", async (name) => {
    await expectSorted([texts[name]!], whole);
    await expectSorted([texts[name]!], { ...whole, terminator: 0 });
    const descending = { begin: { field: 0, offset: 0 }, compare: "bytes", descending: true } as const;
    await expectSorted([texts[name]!], { ...whole, keys: [descending] });
  });

  it("are sorted by numbers of any length, with any signs and decimals", async () => {
    const numbers = Array.from({ length: 400 }, (_, i) => {
      const integers = "9071".repeat(40).slice(0, (i * 7) % 150);
      const decimals = i % 3 === 0 ? "" : `.${"0012".repeat(20).slice(0, (i * 11) % 70)}${i % 4}`;
      return `${["", "-", " ", "-00", "0"][i % 5]}${integers}${decimals}${i % 17 === 0 ? "x" : ""}`;
    });
    const all = [...numbers, ...numbers.map((number) => `${number}1`), "-0", "0", "-", "-.0", ".", ""];
    for (const descending of [false, true]) {
      const key = { begin: { field: 0, offset: 0 }, compare: "decimal", descending } as const;
      await expectSorted([Buffer.from(all.join("\n"))], { ...whole, keys: [key] });
    }
  });

  it("may lie in several texts, of which the last row of each need not end", async () => {
    await expectSorted([Buffer.from("c\na"), Buffer.from(""), Buffer.from("b\n"), Buffer.from("a")], whole);
  });

  it("may be CSV without quotes", async () => {
    const csv: RowOrder = { terminator: 10, separator: 44, quotes: true, keys: [] };
    const by = (field: number, more: Partial<RowKey>): RowKey =>
      ({ begin: { field, offset: 0 }, end: { field }, compare: "bytes", ...more }) as RowKey;
    const text = Buffer.from("b,2\r\na,x\r\na,10\r\n,-3\r\nb,\r\nab,007\r\n");
    for (const invalid of ["first", "last"] as const) {
      for (const descending of [false, true]) {
        const number = by(1, { compare: "decimal", invalid, descending });
        await expectSorted([text], { ...csv, keys: [number, by(0, {})] });
        await expectSorted([text], { ...csv, keys: [by(0, { descending }), number] });
      }
    }
  });

  it("are given up before anything is written, where the CPU does better", async () => {
    const gaveUp = async (text: string, order: RowOrder) => {
      const { result, text: written } = await sorted([Buffer.from(text)], order);
      expect(written.length).toBe(0);
      return "gaveUp" in result && result.gaveUp;
    };
    const csv: RowOrder = { terminator: 10, separator: 44, quotes: true, keys: [] };
    expect(await gaveUp('a\n"b"\n', csv)).toMatch("in quotes");
    expect(await gaveUp(`a\n${long("b", 1 << 20)}\n`, whole)).toMatch("very long");
    const number = { begin: { field: 0, offset: 0 }, compare: "decimal", invalid: "error" } as const;
    expect(await gaveUp("1\nx\n", { ...csv, keys: [number] })).toMatch("no number");
    const digits = { begin: { field: 0, offset: 0 }, compare: "decimal" } as const;
    expect(
      await gaveUp(`1${long("0", 3000)}1\n2\n1${long("0", 3000)}2\n`, { ...whole, keys: [digits] }),
    ).toMatch("in common");
  });

  it("are not written if the device changed one, or left them in the wrong order", async () => {
    const rows = Buffer.from("c\nb\na\n");
    for (const harm of ["text", "permutation"] as const) {
      const broken = new GpuRows(gpu, selector);
      const step = DeviceSteps.prototype.run;
      const spy = vi.spyOn(DeviceSteps.prototype, "run").mockImplementation(async function (
        this: DeviceSteps,
        plan,
        around,
      ) {
        if (plan.result === "output") {
          const words = harm === "text" ? Uint32Array.of(0x0a620a64) : Uint32Array.of(0, 1, 2);
          gpu.device.queue.writeBuffer(this.buffer(harm), 0, words);
        }
        return step.call(this, plan, around);
      });
      try {
        await expect(sorted([rows], whole, { engine: broken })).rejects.toThrow(VerifyError);
      } finally {
        spy.mockRestore();
      }
    }
  });

  it("end with the reason of a signal that aborts", async () => {
    const reason = new Error("enough");
    await expect(
      sorted([texts["rows that are equal"]!], whole, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });

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
