import { afterAll, describe, expect, it } from "vitest";
import { VerifyError } from "../../src/core/errors.js";
import { firstRowDisorder } from "../../src/rows/check.js";
import { type MergeJob, mergeRows } from "../../src/rows/merge/merge_inputs.js";
import type { RowOrder } from "../../src/rows/order/row_order.js";
import { rowKernels } from "../../src/rows/row_kernels.js";
import { type RowJob, sortRows } from "../../src/rows/sort_rows.js";
import { KernelThreads } from "../../src/threads/kernel_threads.js";
import {
  added,
  changed,
  duplicated,
  erringRunner,
  type KernelFault,
  swapped,
  type Tampering,
} from "../support/erring_runner.js";
import { memoryFile } from "../support/memory_file.js";
import { rowInput } from "../support/row_inputs.js";
import { sortTexts } from "../support/row_sorts.js";

const tools = new KernelThreads(2, { sharedBytes: 1, startBytes: 1, threadBytes: 1 });
afterAll(() => tools.close());

const whole: RowOrder = { terminator: 10, separator: undefined, quotes: false, keys: [] };
const byNumber: RowOrder = {
  ...whole,
  keys: [{ begin: { field: 1, offset: 0 }, end: { field: 1 }, compare: "bytes" }],
};
const ELEMENT_BYTES = 16;

/** Rows of 16 bytes, of which each of `distinct` comes equally often. */
function someRows(count: number, distinct = count): Buffer {
  const row = (i: number) => `row ${String((i * 7919) % distinct).padStart(8, "0")} xx\n`;
  return Buffer.from(Array.from({ length: count }, (_, i) => row(i)).join(""));
}

const COUNT = 100_000;
const text = someRows(COUNT);
/** So little memory that this text is sorted in parts. */
const LITTLE = 3 << 20;

/** Sorts with an error. */
async function sortWith(fault: KernelFault, given: Partial<RowJob> = {}) {
  const runner = erringRunner(tools.runner(rowKernels), fault);
  try {
    await sortTexts(tools, [text], whole, { runner, memoryBytes: 1 << 28, ...given });
  } finally {
    expect(runner.errors(), "errors made").toBe(1);
  }
}

const onElements = { swapped: swapped(ELEMENT_BYTES, [5, 6]), duplicated: duplicated(ELEMENT_BYTES, [5, 6]) };

/** Marks rows as equal to the one before them, or as different. */
const marked =
  (word: number): Tampering =>
  (memory, [call]) => {
    const words = new Uint32Array(memory.buffer, Number(call![0]), 4 * 100);
    for (let i = 1; i < 100; i++) {
      if ((words[4 * i + 3] === 0xffff_ffff) === (word === 0xffff_ffff)) continue;
      words[4 * i + 3] = word;
      return;
    }
    throw new Error("there is no such row");
  };

describe("a CPU that errs while it sorts rows is noticed", () => {
  it.each<[string, KernelFault, string]>([
    [
      "swaps two rows before they are moved",
      { kernel: "move_rows", before: onElements.swapped },
      "1 neighbours are out of order",
    ],
    [
      "moves a row twice instead of another",
      { kernel: "move_rows", before: onElements.duplicated },
      "the checksums differ",
    ],
    [
      "changes a byte, but no order",
      { kernel: "move_rows", before: changed("row 00000500 xx", 13, "y") },
      "the checksums differ",
    ],
    ["moves nothing", { kernel: "move_rows", skips: true }, "rows changed their lengths"],
    ["moves a byte too few", { kernel: "move_rows", after: added(0, -1, 5) }, "rows changed their lengths"],
    [
      "swaps two words before their parts are sorted",
      { kernel: "sort_16", before: swapped(ELEMENT_BYTES, [0, COUNT - 1]) },
      "the words of their keys are not in order",
    ],
    [
      "has a word twice instead of another",
      { kernel: "sort_16", before: duplicated(ELEMENT_BYTES, [0, 1]) },
      "the words of their keys are not in order",
    ],
    ["sorts no words", { kernel: "sort_16", skips: true }, "the words of their keys are not in order"],
  ])("it %s", async (_, fault, message) => {
    const sorting = sortWith(fault);
    await expect(sorting).rejects.toThrow(VerifyError);
    await expect(sorting).rejects.toThrow(message);
  });

  it("it leaves rows whose first words are equal as they are", async () => {
    const begin = (i: number) =>
      String.fromCharCode(...Array.from({ length: 30 }, (_, j) => 97 + ((i * j) % 23)));
    const rows = Array.from({ length: 1000 }, (_, i) => `${begin(i % 20)} ${(i * 7) % 1000}\n`);
    const sorting = sortWith(
      { kernel: "refine_elements", skips: true },
      { inputs: [rowInput(Buffer.from(rows.join("")))] },
    );
    await expect(sorting).rejects.toThrow("neighbours are out of order");
  });

  it.each<[string, KernelFault]>([
    ["drops a row that is not equal", { kernel: "measure_rows", before: marked(0xffff_ffff) }],
    ["keeps a row that is equal", { kernel: "measure_rows", before: marked(0) }],
  ])("it %s", async (_, fault) => {
    const sorting = sortWith(fault, { unique: true, inputs: [rowInput(someRows(COUNT, COUNT / 4))] });
    await expect(sorting).rejects.toThrow("neighbours are out of order");
  });
});

/** The place of the address of the report among the arguments of a merge. */
const REPORT = 7;

/** The first row and a later one change places in memory, after they were read. */
const swappedRows: Tampering = (memory) => {
  const bytes = Buffer.from(memory.buffer);
  const [first, later] = ["row 00000000 xx\n", "row 00000500 xx\n"];
  const [a, b] = [bytes.indexOf(first), bytes.indexOf(later)];
  bytes.write(later, a);
  bytes.write(first, b);
};

describe("a CPU that errs while it merges runs is noticed", () => {
  it.each<[string, KernelFault, string, Partial<RowJob>]>([
    ["swaps two rows", { kernel: "merge_runs", before: swappedRows }, "neighbours are out of order", {}],
    [
      "finds a row out of order",
      { kernel: "merge_runs", after: added(5, 1, REPORT) },
      "1 neighbours are out of order",
      {},
    ],
    [
      "changes a byte, but no order",
      { kernel: "merge_runs", before: changed("row 00000500 xx", 13, "y") },
      "rows changed while they were merged",
      {},
    ],
    [
      "changes a byte of a row that is left out",
      { kernel: "merge_runs", before: changed("row 00000500 xx", 13, "y") },
      "rows changed while they were merged",
      { unique: true, inputs: [rowInput(Buffer.concat([text, text]))], order: byNumber },
    ],
    [
      "has another number for a row",
      { kernel: "merge_runs", after: added(8, 1, REPORT) },
      "rows changed while they were merged",
      { numbers: true },
    ],
    [
      "writes a row too few",
      { kernel: "merge_runs", after: added(3, -1, REPORT) },
      "rows changed while they were merged",
      {},
    ],
    [
      "writes a row too few, even if nothing is verified",
      { kernel: "merge_runs", after: added(3, -1, REPORT) },
      "rows were lost while they were merged",
      { verify: false },
    ],
    ["merges nothing", { kernel: "merge_runs", skips: true }, "rows changed while they were merged", {}],
    [
      "ends a part a row too early",
      { kernel: "merge_runs", before: added(2, -1, 2) },
      "rows changed while they were merged",
      {},
    ],
  ])("it %s", async (_, fault, message, given) => {
    const sorting = sortWith(fault, { memoryBytes: LITTLE, ...given });
    await expect(sorting).rejects.toThrow(VerifyError);
    await expect(sorting).rejects.toThrow(message);
  });
});

it.each([
  ["all rows are wanted", {}],
  ["as many are wanted as are left", { head: COUNT - 1 }],
])("a CPU that takes two rows of a run for one is noticed if %s", async (_, given) => {
  let isMerging = false;
  const createStore = async () => {
    const file = memoryFile();
    const read = (into: Uint8Array, at: number) => {
      isMerging = true;
      return file.read(into, at);
    };
    return { ...file, read };
  };
  const fault = { kernel: "count_rows", when: () => isMerging, after: added(0, -1, 2) };
  const sorting = sortWith(fault, { memoryBytes: LITTLE, createStore, ...given });
  await expect(sorting).rejects.toThrow(VerifyError);
  await expect(sorting).rejects.toThrow("rows were lost while they were merged");
});

/** Sorts out of core, with a store that reads other bytes than were written. */
async function sortFrom(
  read: (into: Uint8Array, at: number) => void,
  given: Partial<RowJob> = {},
  parts: Buffer[] = [],
) {
  const createStore = async () => {
    const file = memoryFile();
    return {
      ...file,
      read: async (into: Uint8Array, at: number) => {
        await file.read(into, at);
        read(into, at);
      },
    };
  };
  const job = {
    inputs: [rowInput(text)],
    order: whole,
    header: false,
    unique: false,
    head: Number.POSITIVE_INFINITY,
    verify: true,
    memoryBytes: LITTLE,
    createStore,
    ...given,
  };
  const runner = tools.runner(rowKernels);
  try {
    await sortRows(runner, job, async (bytes) => void parts.push(Buffer.from(bytes)));
    return Buffer.concat(parts);
  } finally {
    runner.close();
  }
}

describe("a temporary file that changes is noticed", () => {
  /** Changes a byte at a place of the file, each time or at one of its reads. */
  const changing = (place: number, bits: number, only?: number) => {
    let reads = 0;
    return (into: Uint8Array, at: number) => {
      const i = place - at;
      if (i < 0 || i >= into.length) return;
      if (only === undefined || reads === only) into[i] = into[i]! ^ bits;
      reads++;
    };
  };

  it("unless it does not", async () => {
    const sorted = await sortFrom(() => {});
    const expected = text.toString().trimEnd().split("\n").sort().join("\n");
    expect(sorted.toString()).toBe(`${expected}\n`);
  });

  const unique = { unique: true, inputs: [rowInput(someRows(COUNT, COUNT / 2))] };
  it.each<[string, number, number, Partial<RowJob>]>([
    ["by a byte, but no order", 16 * 100 + 13, 1, {}],
    ["by a byte, but no order, with duplicates left out", 16 * 100 + 13, 1, unique],
    ["by a byte, but no order, with the first rows only", 16 * 10 + 13, 1, { head: 1000 }],
    ["by a byte of the order", 16 * 100 + 11, 1, {}],
    ["by a row more", 16 * 100 + 13, "x".charCodeAt(0) ^ 10, {}],
    ["by a row more, even if nothing is verified", 16 * 100 + 13, "x".charCodeAt(0) ^ 10, { verify: false }],
  ])("%s", async (_, place, bits, given) => {
    const sorting = sortFrom(changing(place, bits), given);
    await expect(sorting).rejects.toThrow(VerifyError);
    await expect(sorting).rejects.toThrow("a temporary file does not hold what was written to it");
  });

  it.each<[string, (numbers: Uint8Array) => void]>([
    ["by a bit", (numbers) => void numbers.set([numbers[0]! ^ 1])],
    [
      "by two of them that change places",
      (numbers) => void numbers.copyWithin(4, 0, 4).set(numbers.slice(4, 8)),
    ],
  ])("in the numbers of rows, %s", async (_, change) => {
    const sorting = sortFrom(
      (into, at) => {
        // Numbers follow each run.
        const isNumbers = into.length > 400 && into[0] !== "r".charCodeAt(0) && at > 0;
        if (isNumbers) change(into);
      },
      { numbers: true },
    );
    await expect(sorting).rejects.toThrow("a temporary file does not hold what was written to it");
  });

  it("before a row of what changed is written", async () => {
    const expected = (await sortFrom(() => {})).toString();
    const written: Buffer[] = [];
    const place = 16 * 30_000 + 13;
    const sorting = sortFrom(changing(place, 1), {}, written);
    await expect(sorting).rejects.toThrow("a temporary file does not hold what was written to it");
    expect(written.length, "pieces written before").toBeGreaterThan(0);
    expect(expected.startsWith(Buffer.concat(written).toString()), "they are right").toBe(true);
  });
});

describe("a CPU that errs while it merges inputs is noticed", () => {
  const sortedText = (from: number) =>
    Buffer.from(
      Array.from({ length: 30_000 }, (_, i) => `${String(2 * i + from).padStart(8, "0")}\n`).join(""),
    );

  async function mergeWith(fault: KernelFault, given: Partial<MergeJob> = {}): Promise<void> {
    const runner = erringRunner(tools.runner(rowKernels), fault);
    const job = {
      inputs: [0, 1].map((i) => rowInput(sortedText(i), { name: `${i}.txt` })),
      order: whole,
      header: false,
      unique: false,
      head: Number.POSITIVE_INFINITY,
      verify: true,
      memoryBytes: 5 << 20,
      ...given,
    };
    try {
      await mergeRows(runner, job, async () => {});
    } finally {
      runner.close();
      expect(runner.errors(), "errors made").toBe(1);
    }
  }

  it.each<[string, KernelFault, string]>([
    ["finds a row out of order", { kernel: "merge_runs", after: added(5, 1, REPORT) }, "1 neighbours are"],
    ["changes a row", { kernel: "merge_runs", after: added(8, 1, REPORT) }, "rows changed"],
    ["writes a row too few", { kernel: "merge_runs", after: added(3, -1, REPORT) }, "rows changed"],
    ["writes a byte too many", { kernel: "merge_runs", after: added(4, 1, REPORT) }, "rows changed"],
    ["merges nothing", { kernel: "merge_runs", skips: true }, "rows changed"],
    ["ends a part a row too early", { kernel: "merge_runs", before: added(2, -1, 2) }, "rows changed"],
    [
      "begins with a row that comes later",
      {
        kernel: "merge_runs",
        before: (memory, [call]) => {
          // The begins of rows follow the text: the first row and another one change places.
          const text = Buffer.from(memory.buffer);
          const [a, b] = [text.indexOf("00000000\n"), text.indexOf("00000200\n")];
          text.write("00000200", a);
          text.write("00000000", b);
          expect(call).toBeDefined();
        },
      },
      "is not in order",
    ],
  ])("it %s", async (_, fault, message) => {
    await expect(mergeWith(fault)).rejects.toThrow(message);
  });

  it("unless nothing is to be checked", async () => {
    await mergeWith({ kernel: "merge_runs", after: added(8, 1, REPORT) }, { verify: false });
  });
});

describe("a CPU that errs while it compares rows is noticed", () => {
  it("if it compares none of them", async () => {
    const runner = erringRunner(tools.runner(rowKernels), { kernel: "compare_neighbours", skips: true });
    const options = { order: whole, unique: false, header: false, memoryBytes: 1 << 28 };
    const input = rowInput(Buffer.from("b\na\nc\n"));
    try {
      const finding = firstRowDisorder(runner, [input], options);
      await expect(finding).rejects.toThrow(VerifyError);
      await expect(finding).rejects.toThrow("0 of 2 neighbours were compared");
    } finally {
      runner.close();
    }
  });
});

describe("a check of rows", () => {
  it("names the row in which text follows a closing quote, in whichever part of the text it is", async () => {
    const runner = tools.runner(rowKernels);
    const order: RowOrder = { ...whole, separator: 44, quotes: true };
    try {
      for (const wrong of [1, 2, 50_000, COUNT]) {
        const rows = Array.from({ length: COUNT }, (_, i) =>
          i + 1 === wrong ? '"a"b\n' : `a,${"b".repeat(60)}\n`,
        );
        const input = rowInput(Buffer.from(rows.join("")));
        const finding = firstRowDisorder(runner, [input], {
          order,
          header: false,
          memoryBytes: LITTLE,
          unique: false,
        });
        await expect(finding).rejects.toThrow(`row ${wrong} has text after the closing quote`);
      }
    } finally {
      runner.close();
    }
  });
});
