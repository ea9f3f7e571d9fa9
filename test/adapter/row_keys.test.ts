import { expect, it } from "vitest";
import { parseRowOrder } from "../../src/commands/sort/line_keys.js";
import { runFenced } from "../support/fenced.js";
import { withoutMisfits } from "../support/plain_rows.js";
import { rowSteps } from "../support/row_plans.js";
import { column, csv, long, manyFields, rowsOn, rowTexts, whole } from "../support/rows_on_device.js";
import { describeOnDevice, selector } from "./device.js";

describeOnDevice(`the keys of rows on ${selector}`, ({ gpu }) => {
  const { expectSorted } = rowsOn(gpu, selector);

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
        ...Object.keys(rowTexts),
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
    const placed = { ...csv, keys: [float, column(1)] };
    await expectSorted([withoutMisfits(text, placed)], placed);
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
      await expectSorted([withoutMisfits(Buffer.from(rows.join("")), order)], order);
    }
  });
});
