import { elementType } from "../core/elements.js";
import { linearGrid, workgroupSize1d } from "../core/plan/grid.js";
import { bufferBytes, type Pass } from "../core/plan/plan.js";
import type { DeviceTraits } from "../core/plan/traits.js";
import {
  type BlockTuning,
  exchangeFits,
  type TransposeTuning,
  tileTuning,
  transposePass,
  transposeTuning,
} from "../core/sort/transpose.js";
import { params, program } from "../demo_kernels/kernels.js";
import { defineDemo } from "./demo.js";
import { requireBuffer } from "./limits.js";
import { wholeNumber } from "./options.js";
import { copyExperiment, ratesTable } from "./rates.js";

/** Rows and columns of the corner that is printed. */
const SHOWN = 6;

const type = elementType("u32");

/**
 * The transpose kernels of the bitonic sort. Element (row, column) of the input is 100 * row + column. In a
 * naive kernel, the reads or the writes of neighbouring invocations are a whole row apart. Through workgroup
 * memory, both go along rows.
 */
export const transpose = defineDemo({
  name: "transpose",
  summary: "transpose a matrix, naively and in tiles through workgroup memory, and compare the speed",
  options: {
    rows: wholeNumber("rows of the matrix", { default: 1000, least: 1, most: 1 << 26 }),
    columns: wholeNumber("columns of the matrix", { default: 1500, least: 1, most: 1 << 26 }),
  },
  build: ({ values: { rows, columns }, traits }) => {
    const bytes = bufferBytes(rows * columns * type.bytes);
    requireBuffer(bytes, traits.limits, `a matrix of ${rows} x ${columns}`);
    const input = new Uint32Array(rows * columns);
    for (let i = 0; i < input.length; i++) input[i] = 100 * Math.floor(i / columns) + (i % columns);
    const experiment = (name: string, pass: Pass) => ({
      name,
      plan: { buffers: { input: { bytes }, output: { bytes } }, passes: [pass], result: "output" },
      inputs: { input },
      timed: true as const,
    });
    const ours = JSON.stringify(transposeTuning({ type, rows, columns }, traits));
    return {
      experiments: [
        copyExperiment(input, traits),
        experiment("naive", naivePass(rows, columns, traits)),
        ...tunings(rows, columns, traits).map((tuning) =>
          experiment(
            `${describe(tuning)}${JSON.stringify(tuning) === ours ? " *" : ""}`,
            transposePass({ type, rows, columns }, ["input", "output"], traits, tuning),
          ),
        ),
      ],
      show: (outcomes) => {
        const table = ratesTable(outcomes, () => 2 * rows * columns * type.bytes);
        const output = outcomes.at(-1)!.words.output!;
        return [
          `upper left corner of the input, ${rows} x ${columns}:\n${corner(input, rows, columns)}`,
          `upper left corner of the output, ${columns} x ${rows}:\n${corner(output, columns, rows)}`,
          table === ""
            ? ""
            : `\n${table}* the variant that the bitonic sort uses for this matrix on this device\n`,
        ].join("");
      },
    };
  },
});

function naivePass(rows: number, columns: number, { limits }: DeviceTraits): Pass {
  const WORKGROUP_SIZE = workgroupSize1d(256, limits);
  return {
    program: program("transpose_naive", { constants: { WORKGROUP_SIZE } }),
    bindings: ["input", "output"],
    params: params("transpose_naive", { rows, columns }),
    grid: linearGrid(Math.ceil((rows * columns) / WORKGROUP_SIZE), limits),
  };
}

/** The distinct variants to compare. On a software adapter, some of the variants are equal. */
function tunings(rows: number, columns: number, traits: DeviceTraits): TransposeTuning[] {
  const all: TransposeTuning[] = [
    tileTuning(traits, { tileSide: 16, batch: 1 }),
    tileTuning(traits, { batch: 1 }),
    tileTuning(traits, {}),
    tileTuning(traits, { workgroupSize: 128, batch: 8 }),
    tileTuning(traits, { band: 8 }),
    tileTuning(traits, { workgroupSize: 512, batch: 2 }),
  ];
  if (traits.limits.maxComputeWorkgroupStorageSize >= 64 * 65 * 4) {
    all.push(tileTuning(traits, { tileSide: 64, batch: 16 }));
  }
  if (rows % 4 === 0 && columns % 4 === 0) {
    const blocks = (tuning: Partial<BlockTuning>) =>
      all.push({ kernel: "transpose_blocks", blocks: [16, 16], exchange: true, band: 1, ...tuning });
    const sides = traits.software
      ? []
      : ([
          [8, 8],
          [8, 32],
        ] as const);
    for (const blocksXY of sides) blocks({ blocks: blocksXY, exchange: false });
    if (exchangeFits(traits)) for (const band of [1, 4, 16]) blocks({ band });
  }
  all.push(transposeTuning({ type, rows, columns }, traits));
  return [...new Map(all.map((tuning) => [JSON.stringify(tuning), tuning])).values()];
}

function describe(tuning: TransposeTuning): string {
  const band = tuning.band > 1 ? `, bands of ${tuning.band}` : "";
  if (tuning.kernel === "transpose") {
    const { tileSide, workgroupSize, batch } = tuning;
    return `tile ${tileSide}, ${workgroupSize} invocations, ${batch} loads at once${band}`;
  }
  const [x, y] = tuning.blocks;
  return tuning.exchange
    ? `4 x 4 blocks, tile ${4 * x}, through workgroup memory${band}`
    : `4 x 4 blocks, ${x} x ${y} per workgroup, in registers${band}`;
}

function corner(matrix: Uint32Array, rows: number, columns: number): string {
  const cells = (row: number) =>
    [...matrix.subarray(row * columns, row * columns + Math.min(SHOWN, columns))]
      .map((cell) => String(cell).padStart(5))
      .join("");
  return Array.from({ length: Math.min(SHOWN, rows) }, (_, row) => `${cells(row)}\n`).join("");
}
