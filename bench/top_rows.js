// node bench/top_rows.js [--device gpu] [--rows 1x128256,64x128256,…] [--top 1,50,256,1024,4096]
//                          [--no-subgroups] [--torch PYTHON] [--dir /dev/shm]
//
// Times how the k greatest f32 keys of each row are found with their indices, sorted, in buffers, and prints a
// Markdown table in milliseconds, medians of 15; "all" is the sort of all keys of each row. One row is sorted
// as a whole, more as segments. Indices of the first and the last row are compared with those of a plain sort.
// With --torch, which names a Python that has PyTorch, bench/torch_top.py finds the same in the same keys.
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { elementType } from "../dist/core/elements.js";
import { distribution, generateKeys } from "../dist/testdata/distributions.js";
import { openBench } from "./timed_encoding.js";

const { values } = parseArgs({
  options: {
    device: { type: "string", default: "gpu" },
    rows: { type: "string", default: "1x128256,8x128256,64x128256,64x151936,128x128,16384x128,1000x10000" },
    top: { type: "string", default: "1,10,50,256,1024,4096" },
    "no-subgroups": { type: "boolean", default: false },
    torch: { type: "string" },
    dir: { type: "string", default: "/dev/shm" },
  },
});
const torchTop = fileURLToPath(new URL("torch_top.py", import.meta.url));
const folder = mkdtempSync(join(values.dir, "gpusort-top-"));
process.on("exit", () => rmSync(folder, { recursive: true }));
const { driver, sorter, upload, read, time } = await openBench(values.device, {
  subgroups: !values["no-subgroups"],
});

/**
 * @typedef {import("../dist/core/index.js").SortDescription & import("../dist/core/index.js").SortBuffers
 *   & { keys: GPUBuffer }} Described
 */

/**
 * The indices of the keys of a row, the greatest key first.
 *
 * @param {Float32Array} keys
 * @param {number} begin
 * @param {number} width
 */
function orderOf(keys, begin, width) {
  const row = keys.subarray(begin, begin + width);
  const order = Uint32Array.from(row, (_, i) => i);
  return order.sort((a, b) => row[b] - row[a] || a - b).map((i) => begin + i);
}

/**
 * @param {Described} description
 * @param {number} k
 * @param {{ keys: Float32Array, rows: number, width: number }} given
 */
async function timeTop(description, k, { keys, rows, width }) {
  const sort = await sorter.prepare({ ...description, top: k });
  try {
    const ms = await time((pass) => sort.encode(pass));
    const indices = await read(/** @type {NonNullable<typeof sort.values>} */ (sort.values), rows * k);
    for (const row of new Set([0, rows - 1])) {
      const order = orderOf(keys, row * width, width).subarray(0, k);
      if (order.some((index, i) => indices[row * k + i] !== index)) throw new Error(`row ${row} is wrong`);
    }
    return ms;
  } finally {
    sort.destroy();
  }
}

/** @param {Described} description */
async function timeAll(description) {
  const sort = await sorter.prepare(description);
  const ms = await time((pass) => sort.encode(pass));
  sort.destroy();
  return ms;
}

console.log(`${driver}; ms, medians\n\n| rows x keys | k | gpusort | all | torch, graph | torch |`);
console.log("| --- | ---: | ---: | ---: | ---: | ---: |");
for (const shape of values.rows.split(",")) {
  const [rows = 0, width = 0] = shape.split("x").map(Number);
  const keys = /** @type {Float32Array<ArrayBuffer>} */ (
    generateKeys(distribution("normal"), elementType("f32"), rows * width, 1)
  );
  const offsets = Uint32Array.from({ length: rows + 1 }, (_, row) => row * width);
  const bounds = rows > 1 ? upload(offsets) : undefined;
  /** @type {Described} */
  const description = {
    type: "f32",
    capacity: keys.length,
    descending: true,
    keys: upload(keys),
    input: "keep",
    payload: "index",
    ...(bounds ? { segments: { capacity: rows, offsets: bounds, longest: width } } : {}),
  };
  const tops = values.top
    .split(",")
    .map(Number)
    .filter((k) => k <= width);
  const all = await timeAll(description);
  const file = join(folder, "keys.f32");
  if (values.torch) writeFileSync(file, keys);
  for (const k of tops) {
    const own = await timeTop(description, k, { keys, rows, width });
    const torch = values.torch
      ? execFileSync(values.torch, [torchTop, file, `${rows}`, `${k}`], { encoding: "utf8" })
          .trim()
          .split(" ")
      : ["", ""];
    console.log(`| ${[shape, k, own.toFixed(4), all.toFixed(4), ...torch].join(" | ")} |`);
  }
  description.keys.destroy();
  bounds?.destroy();
}
process.exit(0);
