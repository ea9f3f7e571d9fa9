import fc from "fast-check";
import { expect, it, onTestFinished, vi } from "vitest";
import { parseRowOrder } from "../../src/commands/line_keys.js";
import { CallingThread } from "../../src/core/cpu/runner.js";
import { DeviceSteps } from "../../src/core/engines/device_steps.js";
import { GpuRows } from "../../src/core/engines/gpu_rows.js";
import type { DeviceRows } from "../../src/core/engines/row_job.js";
import { InputError, VerifyError } from "../../src/core/errors.js";
import type { Plan } from "../../src/core/plan/plan.js";
import { deviceKeys, unsuitedForDevice } from "../../src/rows/device_rows.js";
import { deviceOrder } from "../../src/rows/order_words.js";
import { type RowKernel, rowKernels } from "../../src/rows/row_kernels.js";
import type { RowKey, RowOrder } from "../../src/rows/row_order.js";
import { RowSource } from "../../src/rows/row_source.js";
import { sortRows } from "../../src/rows/sort_rows.js";
import { runFenced } from "../support/fenced.js";
import { memoryFile } from "../support/memory_file.js";
import { rowComparison, rowsOf, sortPlainly } from "../support/plain_rows.js";
import { lineKey, longNumbers, someRows, someTable, tableOrder } from "../support/row_cases.js";
import { rowInput } from "../support/row_inputs.js";
import { rowSteps } from "../support/row_plans.js";
import { describeOnDevice, selector } from "./device.js";

const whole: RowOrder = { terminator: 10, separator: undefined, quotes: false, keys: [] };

const csv: RowOrder = { terminator: 10, separator: 44, quotes: true, keys: [] };
const column = (field: number, more: Partial<RowKey> = {}): RowKey =>
  ({ begin: { field, offset: 0 }, end: { field }, compare: "bytes", ...more }) as RowKey;

type WantedRows = Pick<DeviceRows, "unique" | "head">;

/** The rows of a sorted text that are wanted. */
function wantedRows(all: Buffer, order: RowOrder, { unique, head }: WantedRows): Buffer {
  const compare = rowComparison(order);
  const isWanted = (row: Buffer, i: number, sorted: Buffer[]) =>
    !unique || i === 0 || compare(sorted[i - 1]!, row) !== 0;
  const rows = rowsOf(all, order).filter(isWanted).slice(0, head);
  return Buffer.concat(rows.flatMap((row) => [row, Buffer.of(order.terminator)]));
}

/**
 * Keys of lines that a device takes: such as take no map of bytes and are no units or months, or any. Few readings
 * mean few kernels to compile, so keys that hardly any line has choose the same one for all others.
 */
const lineKeys = fc
  .tuple(fc.array(lineKey, { maxLength: 3 }), fc.boolean())
  .map(([keys, isPlain]) =>
    isPlain
      ? keys.map((key) => key.replace(/[hgMfdi]/g, ""))
      : [...keys.map((key) => key.replace("g", "")), "9fd", "9M"],
  );

/** An order of tables, of whose columns one that no row has is a date. */
const dateOrder = tableOrder("bytes", "date", "decimal").map((order) => ({
  ...order,
  keys: [...order.keys, column(9, { compare: "date", invalid: "last" })],
}));

/** Lines, or rows with fields in quotes, and an order of them that a device takes. */
const someTexts = fc.oneof(
  fc.tuple(someRows, lineKeys).map(([{ text, separator, zeroTerminated }, key]) => ({
    text,
    order: parseRowOrder({ key, fieldSeparator: separator, zeroTerminated }) ?? whole,
  })),
  fc.record({ text: someTable(), order: dateOrder }),
);

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
      separator: order.quotes ? order.separator : undefined,
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

  async function expectSorted(texts: readonly Buffer[], order: RowOrder, wanted: WantedRows = {}) {
    const { result, text } = await sorted(texts, order, wanted);
    expect(result).not.toHaveProperty("gaveUp");
    const all = sortPlainly(texts, order);
    const rows = wantedRows(all, order, wanted);
    expect(text.toString("latin1")).toBe(rows.toString("latin1"));
    expect(result).toMatchObject({ written: rowsOf(rows, order).length });
  }

  /**
   * A table in which separators, quotes and line breaks within quotes lie at any place of words and of chunks.
   */
  function manyFields(seed: number, bytes: number): Buffer {
    let state = seed;
    const below = (n: number) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return Math.floor((state / 2 ** 32) * n);
    };
    const piece = () => ["a", "bc", ",", "\n", "\r\n", '""', "0123456789"][below(7)];
    const quoted = () => `"${Array.from({ length: below(12) }, piece).join("")}"`;
    const rows: string[] = [];
    for (let length = 0; length < bytes; length += rows.at(-1)!.length)
      rows.push(`${quoted()},${below(50)},${quoted()}${below(2) === 0 ? "\n" : "\r\n"}`);
    return Buffer.from(rows.join(""));
  }

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

  it.each(["1f", "1d", "1i", "1fdr", "1,1fi"])(
    "are sorted by the bytes that are compared, by %s",
    async (key) => {
      const order = parseRowOrder({ key: [key, "9M"], fieldSeparator: "," })!;
      const ignored = ["", "-", "--\x7f", "\0\x01\xff".repeat(9)];
      const rows = Array.from({ length: 500 }, (_, i) => {
        const letters = ["Common", "cOMMON", "common", "cOmmon"][i % 4]!.repeat(1 + (i % 5));
        const end = ["", "z", "Z", "_", "É", "1"][(i * 7) % 6];
        return `${ignored[(i * 3) % 4]}${letters}${ignored[i % 3]}${(i * 31) % 11}${end},${i}`;
      });
      rows.push(
        "",
        "--",
        "\xff\x80",
        "-,-",
        "\xc3(",
        "\0",
        "@",
        "[",
        "`",
        "{",
        "a",
        "A",
        ...Object.keys(texts),
      );
      const text = Buffer.from(rows.join("\n"), "latin1");
      await expectSorted([text], order);
      await expectSorted([text], order, { unique: true });
    },
  );

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

  it("are sorted by floating-point numbers, each of which is the nearest double", async () => {
    const order = { ...csv, keys: [column(0, { compare: "float" }), column(1)] };
    const random = new DataView(Uint8Array.from(manyFields(3, 8008)).buffer);
    const texts = [
      "2.2250738585072011e-308",
      "5e-324",
      "2e-324",
      "3e-324",
      "1e309",
      "-1e400",
      "1e-400",
      "-0.0",
    ];
    texts.push("9007199254740993", "9007199254740993.01", "9007199254740995", "1.7976931348623159e308");
    texts.push(
      "inf",
      "-Infinity",
      "nan",
      "x",
      "",
      "+.5e+1",
      "1e",
      "1e+",
      "0e99999999999",
      "123456789012345678901e5",
    );
    for (let at = 0; at < 8000; at += 8) {
      const bits = random.getBigUint64(at) * 0x9e3779b97f4a7c15n;
      const value = new Float64Array(BigUint64Array.of(bits).buffer)[0]!;
      const digits = value.toPrecision(15 + (at % 5)); // at 17 and more, some are halfway between doubles
      texts.push(at % 3 === 0 ? String(value) : digits, String(2n ** 54n + BigInt(at / 8)));
    }
    const text = Buffer.from(texts.map((number, i) => `${number},${i % 3}\n`).join(""));
    const isRead = ({ name }: { name: string }) => name === "word 0 of key 0";
    const { plan, inputs, results } = rowSteps(text, order, gpu.traits).find(isRead)!;
    const actual = await runFenced(gpu, plan, inputs);
    expect([...actual.first_words!.slice(0, 2 * texts.length)]).toEqual([...results.first_words!]);
    const float = column(0, { compare: "float", invalid: "last", descending: true });
    await expectSorted([text], order);
    await expectSorted([text], { ...csv, keys: [float, column(1)] });
  });

  it.each(["1,1h", "1,1hr", "1,1hf", "1,1M", "1,1Mfr"])(
    "are sorted by units, or months, by %s",
    async (key) => {
      const order = parseRowOrder({ key: [key, "9f"], fieldSeparator: "," })!;
      const units = [
        "",
        "K",
        "k",
        "M",
        "m",
        "G",
        "g",
        "T",
        "P",
        "E",
        "Z",
        "Y",
        "R",
        "Q",
        "q",
        "Ki",
        " K",
        "\xeb",
      ];
      const numbers = ["0", "-0", "00.0", "1", "-1", "1023.", "-7.5", ".5", "-.25", "--1", "", "-"];
      numbers.push(...[14, 15, 16, 17, 33, 62, 63, 64].flatMap((n) => [long("9", n), `-1.${long("0", n)}1`]));
      numbers.push(...["1", "2"].map((end) => `123456789012345.${long("3", 40)}${end}`));
      const months = [
        "JAN",
        "jan",
        "Feb",
        "MARCH",
        "aPr",
        "may",
        "JUN",
        "july",
        "Aug",
        "SEP",
        "oct",
        "nov",
        "Dec",
      ];
      months.push("ja", "", "JA\xee", "\0an", "Sept.", "j\xe1n");
      const rows = [...units.flatMap((unit) => numbers.map((number) => number + unit)), ...months];
      const blanks = ["", " ", "\t ", ""];
      const text = Array.from({ length: 2 * rows.length }, (_, i) => {
        const row = rows[(i * 7919) % rows.length]!;
        return `${blanks[i % 4]}${row},${i}\n`;
      });
      await expectSorted([Buffer.from(text.join(""), "latin1")], order);
    },
  );

  it("are sorted by dates, as points in time, with zones and fractions of any length", async () => {
    const days = [
      "0000-01-01",
      "0000-02-29",
      "1900-02-29",
      "1970-01-01",
      "20000229",
      "2000-03-01",
      "9999-12-31",
    ];
    const times = [
      "",
      "T00:00",
      " 23:59:60",
      "t24:00",
      "T24:01",
      "T000000",
      "T2359",
      " 12:00:00",
      "T12:00:01",
      "T12",
      "T12:60",
    ];
    const fractions = ["", ".", ".5", ",50", ".1234567", ".12345670", ".1234567000000000000000000"];
    fractions.push(...[18, 19, 20, 38, 39].flatMap((n) => [`.7654321${long("0", n)}1`, `.0${long("9", n)}`]));
    const zones = ["", "Z", " z", "+00", "-23:59", "+2359", "+01:00", "-0:30", "+24", " ", "  Z", "x"];
    let state = 1;
    const choose = (choices: readonly string[]) => {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      return choices[(state >>> 8) % choices.length]!;
    };
    const rows = Array.from({ length: 3000 }, (_, i) => {
      const rest = i % 5 === 0 ? "" : choose(fractions) + choose(zones);
      return `"${choose(days)}${choose(times)}${rest}",${i}\n`;
    });
    rows.push(
      "2024\n",
      "2024-01\n",
      "202401\n",
      "2024-1-01\n",
      "\n",
      "2024-01-01T\n",
      "2024-01-01 10:30.5\n",
    );
    for (const given of [{}, { invalid: "first" }, { invalid: "last", descending: true }] as const) {
      const order = { ...csv, keys: [column(0, { compare: "date", ...given })] };
      await expectSorted([Buffer.from(rows.join(""))], order);
    }
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

  it("are in error, or not, as on the CPU, which names the same row", async () => {
    const runner = new CallingThread<RowKernel>(false, rowKernels);
    const named = (message: string) => Number(/row (\d+)/.exec(message)?.[1]);
    let wrong = 0;
    await fc.assert(
      fc.asyncProperty(someTable(), dateOrder, fc.nat(3), async (text, some, flags) => {
        if (text.length === 0) return;
        const keys = some.keys.map((key, i): RowKey => {
          const required = (flags >> i) % 2 === 1 || undefined;
          return { ...key, required, ...(required && key.invalid && { invalid: "error" }) };
        });
        const order = { ...some, keys };
        const job = {
          inputs: [rowInput(text)],
          order,
          header: false,
          unique: false,
          head: 1e9,
          verify: true,
        };
        const memory = { memoryBytes: 1 << 28, createStore: async () => memoryFile() };
        const error = await sortRows(runner, { ...job, ...memory }, async () => {}).catch(
          (failure) => failure,
        );
        const { result, text: output } = await sorted([text], order);
        if (error instanceof InputError) {
          wrong++;
          expect("gaveUp" in result && named(result.gaveUp)).toBe(named(error.message));
        } else expect(output.equals(sortPlainly([text], order))).toBe(true);
      }),
      { numRuns: 40 },
    );
    expect(wrong).toBeGreaterThan(5);
  });

  it("are given up before anything is written, where the CPU does better", async () => {
    const gaveUp = async (text: string, order: RowOrder) => {
      const { result, text: written } = await sorted([Buffer.from(text)], order);
      expect(written.length).toBe(0);
      return "gaveUp" in result && result.gaveUp;
    };
    const table = { ...csv, keys: [column(0)] };
    expect(await gaveUp('a\nb"c"\n', table)).toMatch("RFC 4180");
    expect(await gaveUp('a\nb"c\n', table)).toMatch("RFC 4180");
    expect(await gaveUp('a\n"b"c\n', table)).toMatch("RFC 4180");
    expect(await gaveUp(`"${"b".repeat(14)}" \n`, table)).toMatch("RFC 4180");
    expect(await gaveUp('a\n"b\n', table)).toMatch("not closed");
    expect(await gaveUp(`a\n${long("b", 1 << 20)}\n`, whole)).toMatch("very long");
    const number = column(0, { compare: "decimal", invalid: "error" });
    expect(await gaveUp("1\nx\n", { ...csv, keys: [number] })).toMatch(
      "row 2, not counting headers, is in error",
    );
    const floats = { ...csv, keys: [column(0, { compare: "float" })] };
    expect(await gaveUp("1\n0x1\n", floats)).toMatch("hexadecimal");
    const digits = { begin: { field: 0, offset: 0 }, compare: "decimal" } as const;
    expect(await gaveUp(longNumbers.toString(), { ...whole, keys: [digits] })).toMatch("in common");
  });

  it("are not written if the device changed one, or left them in the wrong order", async () => {
    const rows = Buffer.from("c\nb\na\nb\n");
    for (const [harm, move] of [
      ["text", 1],
      ["permutation", 1],
      ["text", 2],
      ["permutation", 2],
    ] as const) {
      let moves = 0;
      const broken = new GpuRows(gpu, selector);
      const step = DeviceSteps.prototype.run;
      const spy = vi.spyOn(DeviceSteps.prototype, "run").mockImplementation(async function (
        this: DeviceSteps,
        plan,
        around,
      ) {
        if (plan.result === "output" && ++moves === move) {
          const words = harm === "text" ? Uint32Array.of(0x0a640a63) : Uint32Array.of(0, 1, 2);
          gpu.device.queue.writeBuffer(this.buffer(harm), 0, words);
        }
        return step.call(this, plan, around);
      });
      try {
        await expect(sorted([rows], whole, { engine: broken, unique: true })).rejects.toThrow(VerifyError);
      } finally {
        spy.mockRestore();
      }
    }
  });

  it.each([undefined, 2])("are not written if they change after the inspection; of head %s", async (head) => {
    const rows = Buffer.from("cc\nbb\na\n");
    const output = vi.spyOn(DeviceSteps.prototype, "buffer");
    onTestFinished(() => output.mockRestore());
    const onSorted = () => {
      const steps = output.mock.contexts.at(-1) as DeviceSteps;
      gpu.device.queue.writeBuffer(steps.buffer("output"), 0, Buffer.from("a\nzz"));
    };
    await expect(sorted([rows], whole, { onSorted, head })).rejects.toThrow("changed during the readback");
  });

  it.each([
    ["what was found is changed", "next_permutation", "is_distinct", Uint32Array.of(1, 1, 1, 0)],
    ["rows become equal once they are inspected", "distinct_total", "output", Buffer.from("a\na\na\nc\n")],
    ["as many others are found", "distinct_total", "output", Buffer.from("b\na\nb\nb\n")],
  ])(
    "are not written if one is left out that differs from the one before: %s",
    async (_, at, buffer, words) => {
      const step = DeviceSteps.prototype.run;
      const spy = vi.spyOn(DeviceSteps.prototype, "run").mockImplementation(async function (
        this: DeviceSteps,
        plan,
        around,
      ) {
        if (plan.result === at) gpu.device.queue.writeBuffer(this.buffer(buffer), 0, words);
        return step.call(this, plan, around);
      });
      onTestFinished(() => spy.mockRestore());
      await expect(sorted([Buffer.from("c\nb\na\nb\n")], whole, { unique: true })).rejects.toThrow(
        VerifyError,
      );
    },
  );

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

  it("end with the reason of a signal that aborts", async () => {
    const reason = new Error("enough");
    await expect(
      sorted([texts["rows that are equal"]!], whole, { signal: AbortSignal.abort(reason) }),
    ).rejects.toBe(reason);
  });

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
